"""The pinned files of BLiMP's subsets."""

# ruff: noqa: E501 -- digests

from collections.abc import Mapping

from openbench.metadata import DatasetSource
from openbench_lm.metadata import BLIMP

DIGESTS: Mapping[str, str] = {
    "adjunct_island": "ecc71c452516de03deeb9262b4203e45220dc52727327a08eef07c79c01eac8b",
    "anaphor_gender_agreement": "fd7d6e47196fa1310a251d3aa88ae9a62bb64d3cec35fc02617229d5799767e1",
    "anaphor_number_agreement": "05c16b8bfe4feb5b3552dc2c53d1742ce0c91d9a1c896684335bdddd4373cc9b",
    "animate_subject_passive": "245e91961cf597150244c3945c6d0033e691b27ba6cf298c62920d355426e70c",
    "animate_subject_trans": "a7bffeda200f648c33dd215d91d8f5756fcd1e3f410bab467f1ed9235f215850",
    "causative": "2e1006cc24094a3049586888105b22181d77e09e11dea65a326b49977bb366f1",
    "complex_NP_island": "1c92472731dd9a21eb222d64bee756042a3763c3797b5283d5b84ab8e3cbb74c",
    "coordinate_structure_constraint_complex_left_branch": "47e0e04efeb320449a8eb2ac722b895041a8609580fec2880dbc719f50fba194",
    "coordinate_structure_constraint_object_extraction": "d01c27a7a893f3ec071a7913efa504d297671d86a987f26ddb565de914db2fd7",
    "determiner_noun_agreement_1": "f48065fd760d0fd1a895012860d38bdf3c2ac115cd221e521684cc430c0f1855",
    "determiner_noun_agreement_2": "8ae7eff7c7bd384ff5ef3113984834f4d78b34559203aa9d5cb14ea8394291a9",
    "determiner_noun_agreement_irregular_1": "4f350e88db9e29e53ae96f1f0b5991c7809fd4fd403190907330b721e1e6e264",
    "determiner_noun_agreement_irregular_2": "d688af0ccd0614d24a936e0929276784f37554f3ad3e247c3bade8dcaa9099df",
    "determiner_noun_agreement_with_adj_2": "8d2828d7dfbfc3f7191024514060fedb033ea2e232304f63448c33051a85d2b3",
    "determiner_noun_agreement_with_adj_irregular_1": "1f4c6e42a48f4220afec629679641479feac3883cd7fa346d9e9e129cd7e8f55",
    "determiner_noun_agreement_with_adj_irregular_2": "aa3f297a7ce0c03b5fc00458834f89e54eb855973be098497f766a390b4bc669",
    "determiner_noun_agreement_with_adjective_1": "2c3de4e7b7aea499fb7cf1b23b9c3b63662289880f991b9ffabe5ceb94cf7430",
    "distractor_agreement_relational_noun": "37c1553f4c6594b162256edce0f6b40bad1898b311c8aaa69605b526b6494a34",
    "distractor_agreement_relative_clause": "854728b6db8f23f12583f7332b654835351eaedb50783e6f2a3bf6c101b8c422",
    "drop_argument": "e262339a262a57a8f56dc41941ee1dc32c62eb97054b27d33cd8c356a6e62064",
    "ellipsis_n_bar_1": "3cc0bcf91631a4476ce573ea9dbf9627d52efbe071c26019e2c2448b68769d09",
    "ellipsis_n_bar_2": "3dfc2b378ea4867186917ec9cce5ce927e4d3bb6addf018bc31b870dd2aa8474",
    "existential_there_object_raising": "3781bfd54ec1208fc634f4d365189f948ec246526a7345b5148dd3ab6023ff4f",
    "existential_there_quantifiers_1": "4bd0f6dee3c1824b51b0dafb9fce2b00933e8053fcd4a7b99b6202e1b8b49f9e",
    "existential_there_quantifiers_2": "b1a80f4ebebae90a90927259f95b680059020e6bb4e38e64a41eb8e53bc3f617",
    "existential_there_subject_raising": "7c6f5b13225f73a777755c1948beef5cfa31d135ae8a0e7ba8853d256fbece23",
    "expletive_it_object_raising": "15ed3a52c978ecfe5eda7f64b0304b5bd133439cccb2c97fde20834f39874c93",
    "inchoative": "d9389a7130ca84c6f920c9d892cc60c1b20f378d28e7041b1c53ae589fc84f1d",
    "intransitive": "9af9f3f30c891cd21623922b62fd97685552b4ae94a6cfd5617a5f0cb0f731b3",
    "irregular_past_participle_adjectives": "5e490be0723989499391ac14d11b3bb6677f4b470514486b2db3fbfe76d56b3c",
    "irregular_past_participle_verbs": "75a990117c1a403d3b479e0fbe170f6919c2408def738ffcea8c62b49b70a555",
    "irregular_plural_subject_verb_agreement_1": "0066174143671bffa54232d89254d14221afab666273edfefdfb625fbb75e226",
    "irregular_plural_subject_verb_agreement_2": "9b22db814e7b7251f4abafe8beb9616f2f46eaa58f7cdb701cbc737cc8f1a124",
    "left_branch_island_echo_question": "7dadbe3c5a5ceadb78b9408807ac88230ddd748abfe8de8121f064e2bce94ad8",
    "left_branch_island_simple_question": "e2a64b8a1b7b8d94f931018cf9325836e9c79953a01379233da255eac5e8cd71",
    "matrix_question_npi_licensor_present": "657c9d6e6d50a9cd651881fcbc57cef2fd998611f6f53158ed05e48822fcd2b5",
    "npi_present_1": "9aa85dc5c2b0d85ea51f21db50d6d327ab5b45d1669e386d54b1360d3ac954af",
    "npi_present_2": "52fcfa230a40ae27998273cc08ecd062aad17025c92389df3404a85ed519909b",
    "only_npi_licensor_present": "475c6595187a32e4dcfb868d3db90394e89669a94a9312ebd60f88dad1665f1c",
    "only_npi_scope": "ca1f0671643e37936515f02125036bc2904ab9b35c4689b0e7a3ea3914e571f6",
    "passive_1": "e9374307bca5c24e9df18597a0859f7fb5ca4cfe5f136ec894d1ba69f4c90116",
    "passive_2": "4d49e438185bed4122a252dd9ee69bc8eccb2fe6c1b09ccc78198fd925fed8c5",
    "principle_A_c_command": "74c8111666542c797dee1c38c9e432b0b65751dfa0faa51874a990f2cbfc76fc",
    "principle_A_case_1": "7efb5246fe315dc2cf56b80739783cffcddee9e52650716cf5aa0f6987f7644d",
    "principle_A_case_2": "5de6db4c21a8433bc1f1030e81d5ee151efce02078460f7de7ca5e9566afd914",
    "principle_A_domain_1": "2276dc35a51396c7d11a401e378e0f4b31cd10d7916c73e9a361703cb96eddc5",
    "principle_A_domain_2": "9d14e5ae911fb8ddf571484ef2d6a6e6a053765c1c6d34253aec2c11f7d7306a",
    "principle_A_domain_3": "a0d66b9d8541ab1df08f629161c6c4e8bca3aa2693eaa342edd2097e6b579bdd",
    "principle_A_reconstruction": "65dc403c4d6e9a609f2c4cc2ec6c8baa05cf6fce89b920a816b0d9932204b2a3",
    "regular_plural_subject_verb_agreement_1": "1a18d94062c8e792c0a200a3b00dff0e051a92bb084c05e9b5e5c73bee32a620",
    "regular_plural_subject_verb_agreement_2": "e5b4668811e63b00ac4c9569cb9553281a39c21df43256905ad78e59ae24942c",
    "sentential_negation_npi_licensor_present": "c43405aca13ba4aa6ad87f9b051e4ba5fc458f24e683cfe0af23e6e09ec7268b",
    "sentential_negation_npi_scope": "6c341ccc39c94bea45c0412986751bf2f6eca48626728e30e23d2b6a22c8b949",
    "sentential_subject_island": "a286b67cc5912aafeb06750b38923abf3338786ffa4309e0a6a07b1dbe2444bd",
    "superlative_quantifiers_1": "bebc5c5ff28cf226cc35293c60cde1fcf7565a7b58cb219d01ac8908b952a497",
    "superlative_quantifiers_2": "4bef08f3e6bd3fbb46021dda34000f3c00222c5576babe4882a8541f6820a106",
    "tough_vs_raising_1": "8eb3a1ecbdbd969c5b77e2f85b12a39d33723bdc58d673e5067bb456da91d0e5",
    "tough_vs_raising_2": "a6db2f24a8aee0c90a9be63e6bb6787fe04e990c518761115f69f27c7438b5ae",
    "transitive": "48de2025571897c7590659c793d2d1ce85c247808d4199bad60f66cf2eb179ef",
    "wh_island": "77824ca8c0008fb7a204e785ca2dcee1b2803f666bb545bd95cb8a51e04f1a4c",
    "wh_questions_object_gap": "685c74eb8c199f30a24bba1bfabf9d9dff7962a64430e62b9b5f61d5369241ff",
    "wh_questions_subject_gap": "3c33e4efc7182824211ff3288694cf010f4ce84f85c8df67410d784139c722b3",
    "wh_questions_subject_gap_long_distance": "985bae202dbc5566b9b5c51bd77dd9d1dbcd87e0f38e008c34a11d7aa07db788",
    "wh_vs_that_no_gap": "6a25d0d1499e9f522696a62ce9dba8c49f58c5446fddc6d852bf562d1016163c",
    "wh_vs_that_no_gap_long_distance": "968faf59602a67f9cfd7c2e91a314a3f7342fd5daf41c21cadd25288fc85fdcf",
    "wh_vs_that_with_gap": "56f1ca988a8ca368234f12359792c414fdfec2891154e3f8ce6404da1d3f3212",
    "wh_vs_that_with_gap_long_distance": "3cb19100d6384264e512801e96c20e172a3c0c7778276b80ed60c65e97b86ab5",
}
"""The SHA-256 digest of each subset's file."""


def blimp_file(subset: str) -> DatasetSource:
    """Return the pinned file of a subset."""
    return DatasetSource(
        source=f"{BLIMP.source}/{subset}.jsonl",
        type="json",
        revision=BLIMP.revision,
        sha256=DIGESTS[subset],
        licence=BLIMP.licence,
    )
