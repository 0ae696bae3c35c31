"""The table of providers.

`source` is the provider's own page about its address and key, unless a comment names another.
"""

from openbench_providers.provider import Provider

PROVIDERS: tuple[Provider, ...] = (
    Provider(
        "ai21",
        "https://api.ai21.com/studio/v1",
        ("AI21_API_KEY",),
        models="https://docs.ai21.com/docs/jamba-foundation-models",
        source="https://docs.ai21.com/reference/jamba-1-6-api-ref",
    ),
    Provider(
        "baseten",
        "https://inference.baseten.co/v1",
        ("BASETEN_API_KEY",),
        models="https://docs.baseten.co/inference/model-apis/overview",
        source="https://docs.baseten.co/inference/calling-your-model",
    ),
    Provider(
        "cerebras",
        "https://api.cerebras.ai/v1",
        ("CEREBRAS_API_KEY",),
        models="https://inference-docs.cerebras.ai/models/overview",
        source="https://inference-docs.cerebras.ai/resources/openai",
    ),
    Provider(
        "cohere",
        "https://api.cohere.ai/compatibility/v1",
        ("COHERE_API_KEY", "CO_API_KEY"),  # its own library reads the second
        models="https://docs.cohere.com/docs/models",
        source="https://docs.cohere.com/docs/compatibility-api",
        unsupported=("logit_bias", "num_choices", "parallel_tool_calls", "top_logprobs"),
    ),
    Provider(
        "crusoe",
        "https://api.inference.crusoecloud.com/v1",
        ("CRUSOE_API_KEY",),
        models="https://docs.crusoecloud.com/serverless-inference/available-models",
        source="https://docs.crusoecloud.com/quickstart/getting-started-with-serverless-inference",
    ),
    Provider(
        "deepinfra",
        "https://api.deepinfra.com/v1/openai",
        ("DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"),  # its own pages use the second, most clients the first
        models="https://deepinfra.com/models",
        source="https://docs.deepinfra.com/chat/overview",
    ),
    Provider(
        "friendli",
        "https://api.friendli.ai/serverless/v1",
        ("FRIENDLI_TOKEN", "FRIENDLI_API_KEY"),
        models="https://friendli.ai/docs/openapi/model-apis/chat-completions",
        source="https://friendli.ai/docs/openapi/create-chat-completions",
        headers={"X-Friendli-Team": "{FRIENDLI_TEAM}"},  # the variable of its own library, friendli-client
    ),
    Provider(
        "helicone",
        "https://ai-gateway.helicone.ai/v1",
        ("HELICONE_API_KEY",),
        models="https://www.helicone.ai/models",
        source="https://docs.helicone.ai/gateway/integrations/llamaindex",
    ),
    Provider(
        "huggingface",
        "https://router.huggingface.co/v1",
        ("HF_TOKEN",),
        models="https://huggingface.co/inference/models",
        source="https://huggingface.co/docs/inference-providers/tasks/chat-completion",
    ),
    Provider(
        "hyperbolic",
        "https://api.hyperbolic.xyz/v1",
        ("HYPERBOLIC_API_KEY",),  # https://docs.helicone.ai/getting-started/integration-method/hyperbolic
        models="https://docs.hyperbolic.ai/inference/text-apis",
        source="https://docs.hyperbolic.ai/inference/text-apis",
    ),
    Provider(
        "lambda",
        "https://api.lambda.ai/v1",
        ("LAMBDA_API_KEY",),
        models="https://docs.lambda.ai/public-cloud/lambda-inference-api",
        source="https://docs.lambda.ai/public-cloud/lambda-inference-api",
        closed="its inference API was shut down in September 2025",
    ),
    Provider(
        "minimax",
        "https://api.minimax.io/v1",
        ("MINIMAX_API_KEY",),
        models="https://platform.minimax.io/docs/api-reference/text-chat",
        source="https://platform.minimax.io/docs/api-reference/text-openai-api",
        unsupported=("frequency_penalty", "logit_bias", "num_choices", "presence_penalty"),
    ),
    Provider(
        "nebius",
        "https://api.tokenfactory.nebius.com/v1",
        ("NEBIUS_API_KEY",),
        models="https://docs.tokenfactory.nebius.com/ai-models-inference/overview",
        source="https://docs.tokenfactory.nebius.com/api-reference/introduction",
    ),
    Provider(
        "nous",
        "https://inference-api.nousresearch.com/v1",
        ("NOUS_API_KEY",),
        models="https://portal.nousresearch.com/help",
        source="https://metacpan.org/pod/Langertha::Engine::NousResearch",  # its own reference is behind a login
    ),
    Provider(
        "novita",
        "https://api.novita.ai/openai/v1",
        ("NOVITA_API_KEY",),
        models="https://novita.ai/models",
        source="https://github.com/novitalabs/novita-skills/blob/main/skills/novita-ai/references/quick-start.md",
    ),
    Provider(
        "parasail",
        "https://api.parasail.io/v1",
        ("PARASAIL_API_KEY",),
        models="https://docs.parasail.io/parasail-docs/products/overview/models",
        source="https://docs.parasail.io/parasail-docs/api-reference/authentication",
    ),
    Provider(
        "reka",
        "https://api.reka.ai/v1",
        ("REKA_API_KEY",),
        models="https://docs.reka.ai/chat/models",
        source="https://docs.reka.ai/quickstart",
    ),
    Provider(
        "siliconflow",
        "https://api.siliconflow.com/v1",
        ("SILICONFLOW_API_KEY",),
        models="https://www.siliconflow.com/models",
        source="https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions",
    ),
    Provider(
        "vercel",
        "https://ai-gateway.vercel.sh/v1",
        ("AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
        models="https://vercel.com/ai-gateway/models",
        source="https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions",
    ),
    Provider(
        "wandb",
        "https://api.inference.wandb.ai/v1",
        ("WANDB_API_KEY",),
        models="https://docs.wandb.ai/inference",
        source="https://docs.wandb.ai/inference/api-reference",
        headers={"OpenAI-Project": "{WANDB_ENTITY}/{WANDB_PROJECT}"},
    ),
)
