"use strict";
// The page is complete without this script. It sorts and filters tables, and shows samples.
// Texts of logs are only ever set as textContent.

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const parsed = (id) => JSON.parse(document.getElementById(id).textContent);

document.documentElement.classList.add("scripted");

// Tables

function compare(one, other, numeric) {
  if (numeric) return Number(one) - Number(other);
  return one.localeCompare(other, undefined, { numeric: true });
}

function sort(heading) {
  const table = heading.closest("table");
  const body = find("tbody", table);
  const place = heading.cellIndex;
  const numeric = heading.dataset.sort === "number";
  const current = heading.getAttribute("aria-sort");
  const first = numeric && place > 0 ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const direction = current === first ? other : first;
  const sign = direction === "ascending" ? 1 : -1;
  const value = (row) => row.cells[place].dataset.value;
  const rows = [...body.rows].sort((a, b) => {
    const [one, two] = [value(a), value(b)];
    if (one === "" || two === "") return (one === "") - (two === ""); // what has no value comes last
    return sign * compare(one, two, numeric);
  });
  for (const each of all("[aria-sort]", table)) each.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  body.append(...rows);
}

for (const button of all("table.sortable thead button")) {
  button.addEventListener("click", () => sort(button.closest("th")));
}

const filter = find("#filter");
filter.addEventListener("input", () => {
  const text = filter.value.trim().toLowerCase();
  for (const row of all("tr[data-system]")) row.hidden = !row.dataset.system.toLowerCase().includes(text);
  const rows = all("tr[data-system]", find(".board"));
  const shown = rows.filter((row) => !row.hidden).length;
  find("#filtered").textContent = text ? `${shown} of ${rows.length}` : "";
});

// Samples

const labels = parsed("systems"); // by number
const AT_FIRST = 4; // answers side by side
const browser = {
  benchmark: find("#browse-benchmark"),
  kind: find("#browse-kind"),
  text: find("#browse-text"),
  systems: find("#browse-systems"),
  place: find("#browse-place"),
  previous: find("#browse-previous"),
  next: find("#browse-next"),
  left: find("#browse-left"),
  sample: find("#browse-sample"),
};
const read = new Map(); // the samples of a benchmark are parsed when they are first shown
let matching = [];
let at = 0;

function element(name, className, text, direction) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (direction) made.dir = direction;
  return made;
}

function samplesOf(anchor) {
  if (!read.has(anchor)) read.set(anchor, parsed(`${anchor}-samples`));
  return read.get(anchor);
}

function matches(sample, kind, text) {
  if (kind && !sample.kinds.includes(kind)) return false;
  if (!text) return true;
  const answers = Object.values(sample.results).flatMap((result) => [result.answer, result.text]);
  return [sample.id, sample.input, sample.target, ...answers].some((each) => each.toLowerCase().includes(text));
}

function answerOf(number, result, best) {
  const box = element("article", result.score === best ? "answer best" : "answer");
  const heading = element("h4");
  heading.append(element("bdi", "", labels[number]));
  heading.append(element("span", "value", result.score === null ? "no score" : String(result.score)));
  box.append(heading);
  for (const fault of result.faults) box.append(element("span", "tag", fault));
  if (result.epoch) box.append(element("p", "note", result.epoch));
  if (result.answer) box.append(element("p", "role", "answer"), element("pre", "", result.answer, "auto"));
  if (result.text) {
    const role = result.faults.includes("error") ? "error" : "explanation";
    box.append(element("p", "role", role), element("pre", "", result.text, "auto"));
  }
  return box;
}

function bestOf(sample, higher) {
  const scores = Object.values(sample.results).map((result) => result.score).filter((score) => score !== null);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  if (low === high) return undefined; // none is better
  return higher ? high : low;
}

function chosen() {
  return all("input:checked", browser.systems).map((box) => box.value);
}

function show() {
  browser.place.textContent = matching.length ? `${at + 1} of ${matching.length}` : "none";
  browser.previous.disabled = at <= 0;
  browser.next.disabled = at >= matching.length - 1;
  browser.sample.replaceChildren();
  if (!matching.length) return;
  const sample = matching[at];
  const title = element("h3");
  title.append("Sample ", element("bdi", "", sample.id));
  browser.sample.append(title, element("p", "note", sample.kinds.join(", ")));
  browser.sample.append(element("p", "role", "input"), element("pre", "", sample.input, "auto"));
  if (sample.target) browser.sample.append(element("p", "role", "target"), element("pre", "", sample.target, "auto"));
  const answers = element("div", "answers");
  const present = chosen().filter((number) => sample.results[number]);
  const best = bestOf(sample, samplesOf(browser.benchmark.value).higher_is_better);
  answers.append(...present.map((number) => answerOf(number, sample.results[number], best)));
  browser.sample.append(answers);
}

function search() {
  const { samples } = samplesOf(browser.benchmark.value);
  const text = browser.text.value.trim().toLowerCase();
  matching = samples.filter((sample) => matches(sample, browser.kind.value, text));
  at = 0;
  show();
}

function choose() {
  const { systems } = samplesOf(browser.benchmark.value);
  const boxes = systems.map((number, place) => {
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.value = number;
    box.checked = place < AT_FIRST;
    label.append(box, " ", element("bdi", "", labels[number]));
    return label;
  });
  browser.systems.replaceChildren(find("legend", browser.systems), ...boxes);
  const place = browser.benchmark.selectedIndex;
  browser.left.textContent = all(".left-out")[place].textContent;
  search();
}

function step(by) {
  at = Math.max(0, Math.min(matching.length - 1, at + by));
  show();
}

browser.benchmark.addEventListener("change", choose);
browser.kind.addEventListener("change", search);
browser.text.addEventListener("input", search);
browser.systems.addEventListener("change", show);
browser.previous.addEventListener("click", () => step(-1));
browser.next.addEventListener("click", () => step(1));
find("#browser").addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, pre") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
for (const link of all("[data-browse]")) {
  link.addEventListener("click", () => {
    browser.benchmark.value = link.dataset.browse;
    choose();
  });
}
choose();

// Print: what is folded is printed as well.

let folded = [];
window.addEventListener("beforeprint", () => {
  folded = all("details:not([open])");
  for (const each of folded) each.open = true;
});
window.addEventListener("afterprint", () => {
  for (const each of folded) each.open = false;
});
