"use strict";
const at = id => document.getElementById(id);
const sides = ["before", "after"], texts = [...sides, "inputs", "results", "guards", "failargs"];
const given = JSON.parse(at("given").textContent);

// Colours: the text of each editor lies over a copy of it that has them.
const parts = /(#.*$)|(\b(?:guard_\w+|keepalive)(?=\())|(\b(?:jump|finish|label)(?=\())|(\b[a-z]\w*(?=\())|(\b(?:descr=)?<[^>]*>|\bdescr=\S+?(?=[,)]|$))|((?<![\w.])-?(?:0x[0-9a-f]+|\d[\d.e+-]*)\b)/gim;
const names = ["comment", "guard", "end", "op", "descr", "number"];

function coloured(line) {
  const shown = document.createElement("span");
  let from = 0;
  for (const found of line.matchAll(parts)) {
    const piece = document.createElement("span");
    piece.className = "t-" + names[found.slice(1).findIndex(group => group !== undefined)];
    piece.textContent = found[0];
    shown.append(line.slice(from, found.index), piece);
    from = found.index + found[0].length;
  }
  shown.append(line.slice(from));
  return shown;
}

function draw(side, bad) {
  const copy = at(side).previousElementSibling;
  copy.replaceChildren(...at(side).value.split("\n").map(coloured));
  if (bad && copy.children[bad - 1]) copy.children[bad - 1].classList.add("bad");
}

function put(side, text) {
  at(side).value = text;
  draw(side);
}

function blame(side, text, line) {
  at(side + "-wrong").textContent = text;
  if (!line || !sides.includes(side)) return;
  draw(side, line);
  const editor = at(side), lines = editor.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1);
  editor.focus();
  editor.setSelectionRange(start, start + (lines[line - 1] || "").length);
}

// Questions: one at a time, the last one counts.
let asking = null;

async function ask(action) {
  if (asking) asking.abort();
  const mine = asking = new AbortController();
  for (const side of [...sides, "inputs"]) blame(side, "");
  sides.forEach(side => draw(side));
  const asked = {action, ...Object.fromEntries(texts.map(id => [id, at(id).value]))};
  at("answer").ariaBusy = "true";
  try {
    const reply = await fetch("ask", {method: "POST", headers: {"Content-Type": "application/json"},
      body: JSON.stringify(asked), signal: mine.signal});
    await tell(await reply.json());
  } catch (problem) {
    if (problem.name !== "AbortError") say(`no answer: does traceproof serve still run? (${problem.message})`);
  }
  if (asking === mine) at("answer").ariaBusy = "false";
}

async function tell(told) {
  for (const side of sides) if (told[side] !== undefined) put(side, told[side]);
  if (told.copy !== undefined) return copy(told.copy, "copied: commands for a shell that make this pair a case");
  if (told.error !== undefined) {
    at("answer").replaceChildren();
    return told.side && at(told.side + "-wrong") ? blame(told.side, told.error, told.line) : say(told.error);
  }
  at("answer").innerHTML = told.html;
  if (told.note) at("answer").prepend(paragraph(told.note));
}

function paragraph(text) {
  const shown = document.createElement("p");
  shown.className = "quiet";
  shown.textContent = text;
  return shown;
}

function say(text) {
  at("answer").replaceChildren(paragraph(text));
}

async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {  // not allowed here: it is shown instead
    const shown = document.createElement("pre");
    shown.textContent = text;
    at("answer").replaceChildren(paragraph("to be copied:"), shown);
  }
}

// The fragment of the address holds the fields: JSON, deflated, in base64 for addresses.
const through = (data, stream) => new Response(new Blob([data]).stream().pipeThrough(stream));

async function packed(fields) {
  const bytes = new Uint8Array(await through(JSON.stringify(fields), new CompressionStream("deflate-raw")).arrayBuffer());
  const binary = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpacked(fragment) {
  const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, character => character.charCodeAt(0));
  return JSON.parse(await through(bytes, new DecompressionStream("deflate-raw")).text());
}

function show(fields) {
  for (const id of texts) if (typeof fields[id] === "string") sides.includes(id) ? put(id, fields[id]) : at(id).value = fields[id];
}

async function open() {
  if (given) return show(given);
  if (location.hash.length < 2) return sides.forEach(side => draw(side));
  try {
    show(await unpacked(location.hash.slice(1)));
    if (at("after").value) await ask("validate");
  } catch {
    say("the link is not whole: what follows # in the address is no pair");
  }
}

sides.forEach(side => at(side).addEventListener("input", () => draw(side)));
at("fields").addEventListener("submit", event => {
  event.preventDefault();
  ask(event.submitter ? event.submitter.dataset.action : "validate");
});
document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !given) ask("validate");
});
at("link").addEventListener("click", async () => {
  history.replaceState(null, "", "#" + await packed(Object.fromEntries(texts.map(id => [id, at(id).value]))));
  await copy(location.href, "copied: a link that holds the whole pair");
});
at("examples")?.addEventListener("change", async event => {
  if (!event.target.value) return;
  const reply = await fetch("examples/" + encodeURIComponent(event.target.value));
  const example = await reply.json();
  at("about").textContent = example.about;
  show({inputs: "", results: "", ...example});
  await ask(example.after ? "validate" : "optimize");
});
window.addEventListener("hashchange", open);
open();
