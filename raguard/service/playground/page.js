// Asks the service about the texts that were entered, and shows its verdict. No text becomes markup: all of it is set
// as textContent. Offsets of the service count code points, so texts are cut as arrays of these.

const ENDPOINT = "playground/verify";
const EXAMPLES = "playground/examples.json";
const SLOW_MS = 3000;
const UNREADABLE = "The service gave an answer that cannot be read.";
const AROUND = 60;
const LEGEND = [
  ["high", "high: review it"], ["medium", "medium: doubtful"], ["low", "low: a hint"],
  ["supported", "supported by the documents"],
];
const RANK = { high: 0, medium: 1, low: 2, supported: 3 };
const SUPPORT = { supported: "The documents state it.", derived: "It follows from what the documents state." };
const REFUSED = {
  401: "The service needs a key: enter it under “API key”.",
  403: "The service does not let this page ask.",
  413: "The texts are too long for this service.",
  429: "The service is busy. Try again in a moment.",
  503: "The check took too long, and the service gave up. Try shorter texts.",
};

const $ = (id) => document.getElementById(id);
let asked = null;      // the request under way
let shown = null;      // the case that the result is about
let items = [];        // what is marked: warnings, then supported facts
let chosen = null;     // the item that is selected

function element(name, properties = {}, ...children) {
  const { data = {}, aria = {}, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  Object.assign(made.dataset, data);
  for (const [key, value] of Object.entries(aria)) made.setAttribute(key === "role" ? key : `aria-${key}`, value);
  made.append(...children);
  return made;
}

// ---- what is entered ----

function addDocument(text = "") {
  const area = element("textarea", { rows: 5, dir: "auto", spellcheck: false, value: text });
  const label = element("label");
  const remove = element("button", { type: "button", className: "plain", textContent: "Remove" });
  const entry = element("li", {}, element("div", { className: "head" }, label, remove), area);
  remove.addEventListener("click", () => {
    const next = entry.nextElementSibling ?? entry.previousElementSibling;
    entry.remove();
    number();
    changed();
    (next?.querySelector("textarea") ?? $("add")).focus();
  });
  $("docs").append(entry);
  number();
  return area;
}

function number() {
  const entries = [...$("docs").children];
  entries.forEach((entry, place) => {
    const [label, remove, area] = ["label", "button", "textarea"].map((name) => entry.querySelector(name));
    area.id = `doc-${place}`;
    label.htmlFor = area.id;
    label.textContent = `Document ${place + 1}`;
    remove.setAttribute("aria-label", `Remove document ${place + 1}`);
    remove.hidden = entries.length === 1;
  });
}

function entered() {
  // those that are empty as well: the numbers of the others are those of the form
  const docs = [...$("docs").querySelectorAll("textarea")].map((area) => area.value);
  return { query: $("query").value, docs, response: $("response").value };
}

function fill(example) {
  $("query").value = example.query;
  $("response").value = example.response;
  $("docs").replaceChildren();
  example.docs.forEach((text) => addDocument(text));
  changed();
}

function changed() {
  const isOld = shown !== null && JSON.stringify(shown) !== JSON.stringify(entered());
  $("stale").hidden = !isOld;
}

// ---- asking ----

function complain(message) {
  $("problem").textContent = message;
  $("problem").hidden = !message;
}

async function check(event) {
  event?.preventDefault();
  const given = entered();
  const missing = !given.response.trim() ? "response" : !given.docs.some((text) => text.trim()) ? "doc-0" : null;
  complain(missing ? (missing === "response" ? "Enter an answer to check." : "Enter at least one document.") : "");
  for (const area of $("form").querySelectorAll("textarea")) area.removeAttribute("aria-invalid");
  if (missing) {
    $(missing).setAttribute("aria-invalid", "true");
    return $(missing).focus();
  }
  asked?.abort();
  const request = (asked = new AbortController());
  const started = performance.now();
  busy(true);
  const slow = setTimeout(() => tell("Still checking; long texts take longer."), SLOW_MS);
  try {
    const told = await ask(given, request.signal);
    const whole = performance.now() - started;
    try {
      show(given, told, whole);
    } catch {
      // nothing is left of a verdict that is shown in part
      $("result").hidden = true;
      throw new Error(UNREADABLE);
    }
    tell("");
  } catch (error) {
    if (request !== asked) return;
    tell(error.name === "AbortError" ? "Cancelled." : "");
    if (error.name !== "AbortError") complain(error.message);
  } finally {
    clearTimeout(slow);
    if (request === asked) busy(false);
  }
}

async function ask(given, signal) {
  const headers = { "Content-Type": "application/json" };
  const key = $("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(ENDPOINT, { method: "POST", headers, body: JSON.stringify(given), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(key && error instanceof TypeError && /header/i.test(error.message)
      ? "The key holds characters that no key has."
      : "The service cannot be reached.");
  }
  if (!response.ok) throw new Error(await refusal(response));
  const told = await response.json().catch(() => null);
  if (!told?.result?.warnings) throw new Error(UNREADABLE);
  return told;
}

async function refusal(response) {
  if (response.status === 401) {
    $("access").open = true;
    $("key").focus();
  }
  const wait = Number(response.headers.get("Retry-After"));
  const own = REFUSED[response.status];
  if (own) return wait > 0 ? `${own} It asks for ${wait} s.` : own;
  const told = await response.json().catch(() => null);
  const message = typeof told?.error?.message === "string" ? ` ${told.error.message}` : "";
  return `The service refused (status ${response.status}).${message}`;
}

function busy(is) {
  $("check").disabled = is;
  $("cancel").hidden = !is;
  $("form").setAttribute("aria-busy", String(is));
  if (is) tell("Checking…");
}

function tell(message) {
  $("status").textContent = message;
}

// ---- the verdict ----

function show(given, { result, took_ms: took }, whole) {
  [shown, chosen] = [given, null];
  const facts = result.facts.filter((fact) => fact.status in SUPPORT);
  items = [
    ...result.warnings.map((warning) => ({ ...warning, kind: warning.severity })),
    ...facts.map((fact) => ({ ...fact, type: `${fact.status} ${fact.kind}`, kind: "supported" })),
  ];
  const isReview = result.action === "review";
  $("tone").className = isReview ? "bad" : result.warnings.length ? "unsure" : "good";
  $("verdict").textContent = isReview ? "Review" : "Proceed";
  const { high, medium, low } = result.summary;
  counts([
    `${high} high, ${medium} medium, ${low} low`,
    `${result.facts.length} facts checked, ${facts.length} supported`,
    `checked in ${took.toFixed(1)} ms`,
    `${Math.round(whole)} ms there and back`,
  ]);
  legend();
  answer(given.response);
  detail(null);
  documents(null);
  findings(result.warnings);
  gaps(result.unchecked);
  $("json").textContent = JSON.stringify(result, null, 2);
  $("copy").textContent = "Copy";
  $("result").hidden = false;
  changed();
  $("result").focus({ preventScroll: true });
  $("result").scrollIntoView({ block: "start" });
}

function counts(texts) {
  $("counts").replaceChildren(...texts.map((text) => element("li", { textContent: text })));
}

function legend() {
  const kinds = new Set(items.filter((item) => item.start < item.end).map((item) => item.kind));
  const known = LEGEND.filter(([kind]) => kinds.has(kind));
  $("legend").replaceChildren(
    ...known.map(([kind, text]) => element("li", {}, element("span", { className: `mark ${kind}`, textContent: text }))),
  );
  $("keys").hidden = kinds.size === 0;
}

// The answer cut where a mark begins or ends; each piece belongs to the worst item that covers it.
function answer(text) {
  const points = Array.from(text);
  const placed = items.map((item, index) => ({ ...item, index })).filter((item) => item.start < item.end);
  const cuts = [...new Set([0, points.length, ...placed.flatMap((item) => [item.start, item.end])])];
  cuts.sort((a, b) => a - b);
  const order = [...placed].sort((a, b) => RANK[a.kind] - RANK[b.kind] || a.index - b.index);
  const pieces = [];
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    const [start, end] = [cuts[at], cuts[at + 1]];
    const owner = order.find((item) => item.start <= start && end <= item.end)?.index ?? null;
    const last = pieces.at(-1);
    if (last && last.owner === owner) last.end = end;
    else pieces.push({ owner, start, end });
  }
  const named = new Set();
  $("answer").replaceChildren(...pieces.map(({ owner, start, end }) => {
    const words = points.slice(start, end).join("");
    if (owner === null) return document.createTextNode(words);
    const item = items[owner];
    const mark = element("mark", { className: `mark ${item.kind}`, textContent: words, data: { item: owner } });
    if (!named.has(owner)) {
      named.add(owner);
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-pressed", "false");
      mark.setAttribute("aria-label", `${words}: ${item.kind}, ${title(item)}`);
      mark.tabIndex = named.size === 1 ? 0 : -1;
    }
    return mark;
  }));
}

function title(item) {
  return item.type.replaceAll("_", " ");
}

function choose(index) {
  chosen = index;
  for (const mark of $("answer").querySelectorAll(".mark")) {
    const isChosen = Number(mark.dataset.item) === index;
    mark.classList.toggle("chosen", isChosen);
    if (mark.hasAttribute("role")) mark.setAttribute("aria-pressed", String(isChosen));
  }
  detail(items[index] ?? null);
  documents(items[index]?.evidence ?? null);
}

function detail(item) {
  $("detail").hidden = item === null;
  if (item === null) return;
  $("detail").className = `detail ${item.kind}`;
  const head = element("div", { className: "head" },
    element("span", { className: `badge ${item.kind}`, textContent: item.kind }),
    element("strong", { textContent: title(item) }));
  if (item.rule) head.append(element("span", { className: "quiet", textContent: `rule ${item.rule}` }));
  const told = [element("p", { textContent: item.suggestion ?? SUPPORT[item.status] })];
  if (item.evidence?.source === "docs") {
    const show = element("button", {
      type: "button", className: "plain", textContent: `Show it in document ${item.evidence.doc + 1}`,
    });
    show.addEventListener("click", () => bring(true));
    told.push(quote(item.evidence), show);
  } else if (!item.evidence && item.kind !== "supported") {
    told.push(element("p", { className: "quiet", textContent: "The documents say nothing near it." }));
  }
  $("detail").replaceChildren(head, ...told);
  // beside a long answer it stays in sight, and would hide a short one
  $("detail").classList.toggle("stays", $("answer").offsetHeight > window.innerHeight);
  $("detail").scrollIntoView({ block: "nearest" });
}

// The evidence with the whole words that stand around it.
function quote({ doc, start, end }) {
  const points = Array.from(shown.docs[doc]);
  const [first, last] = [Math.max(0, start - AROUND), Math.min(points.length, end + AROUND)];
  const before = points.slice(first, start).join("").replace(first > 0 ? /^\S*/ : "", first > 0 ? "…" : "");
  const after = points.slice(end, last).join("").replace(last < points.length ? /\S*$/ : "", last < points.length ? "…" : "");
  const words = element("b", { textContent: points.slice(start, end).join("") });
  return element("blockquote", { className: "quote", dir: "auto" }, before, words, after);
}

function documents(evidence) {
  const cited = evidence?.source === "docs" ? evidence : null;
  $("shown").replaceChildren(...shown.docs.flatMap((text, place) => {
    if (!text.trim()) return [];
    const name = element("h4", { textContent: `Document ${place + 1}`, id: `shown-${place}` });
    const body = element("div", { className: "text", dir: "auto" });
    const article = element("article", { tabIndex: 0, aria: { labelledby: name.id } }, name, body);
    if (cited?.doc !== place) {
      body.textContent = text;
      return article;
    }
    article.className = "cited";
    const points = Array.from(text);
    body.append(
      points.slice(0, cited.start).join(""),
      element("mark", { className: "mark cited", id: "evidence", textContent: points.slice(cited.start, cited.end).join("") }),
      points.slice(cited.end).join(""),
    );
    return article;
  }));
  bring(false);
}

// Scrolls the evidence into view within its document and this among the others, and the page to it where it is wanted.
function bring(isWanted) {
  const mark = $("evidence");
  if (!mark) return;
  const article = mark.closest("article");
  for (const outer of [article, $("beside")]) {
    const [box, inner] = [mark.getBoundingClientRect(), outer.getBoundingClientRect()];
    if (box.top < inner.top || box.bottom > inner.bottom) outer.scrollTop += box.top - inner.top - outer.clientHeight / 3;
  }
  if (!isWanted) return;
  article.scrollIntoView({ block: "center" });
  article.focus({ preventScroll: true });
}

function findings(warnings) {
  $("findings-title").hidden = warnings.length === 0;
  $("findings").replaceChildren(...warnings.map((warning, index) => {
    const isPlaced = warning.start < warning.end;
    const words = isPlaced
      ? element("button", { type: "button", textContent: warning.text })
      : element("strong", { textContent: title(warning) });
    if (isPlaced) words.addEventListener("click", () => {
      choose(index);
      focusMark(index);
    });
    return element("li", {},
      element("span", { className: `badge ${warning.severity}`, textContent: warning.severity }),
      words,
      element("p", { className: "quiet", textContent: warning.suggestion }));
  }));
}

function gaps(unchecked) {
  $("gaps").hidden = unchecked.length === 0;
  $("gaps").querySelector("ul").replaceChildren(
    ...unchecked.map((gap) => element("li", { textContent: `${gap.what}: ${gap.why}` })),
  );
}

// ---- by keyboard and pointer ----

function marks() {
  return [...$("answer").querySelectorAll(".mark[role=button]")];
}

function focusMark(index) {
  const all = marks();
  const mark = all.find((one) => Number(one.dataset.item) === index);
  if (!mark) return;
  all.forEach((one) => { one.tabIndex = one === mark ? 0 : -1; });
  mark.focus();
}

function onKey(event) {
  const all = marks();
  const at = all.indexOf(event.target.closest(".mark"));
  if (at < 0) return;
  const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
  if (event.key === "Enter" || event.key === " ") choose(Number(all[at].dataset.item));
  else if (event.key === "Escape") choose(null);
  else if (event.key in steps) focusMark(Number(all.at(Math.min(Math.max(steps[event.key], 0), all.length - 1)).dataset.item));
  else return;
  event.preventDefault();
}

function onClick(event) {
  const mark = event.target.closest(".mark");
  if (!mark) return;
  const index = Number(mark.dataset.item);
  focusMark(index);
  choose(index);
}

async function begin() {
  addDocument();
  $("form").addEventListener("submit", check);
  $("form").addEventListener("input", changed);
  $("add").addEventListener("click", () => addDocument().focus());
  $("cancel").addEventListener("click", () => asked?.abort());
  $("answer").addEventListener("keydown", onKey);
  $("answer").addEventListener("click", onClick);
  $("copy").addEventListener("click", async () => {
    const isCopied = await navigator.clipboard.writeText($("json").textContent).then(() => true, () => false);
    $("copy").textContent = isCopied ? "Copied" : "It cannot be copied here";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check(event);
  });
  const examples = await fetch(EXAMPLES).then((response) => response.json()).catch(() => []);
  $("example").append(...examples.map((example, place) => element("option", { value: String(place), textContent: example.title })));
  $("example").addEventListener("change", () => {
    const example = examples[Number($("example").value)];
    if ($("example").value && example) fill(example);
  });
}

begin();
