// What the pages can do with JavaScript on top of what they do without it. No inline code anywhere, so that the
// content security policy can forbid it.

document.documentElement.classList.add("js");

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Copy buttons are hidden until they can work.
function enable(within) {
  all("[data-copy]", within).forEach((button) => { button.hidden = false; });
}

async function copy(button) {
  const source = button.dataset.copyUrl;
  const text = source ? await (await fetch(source)).text() : button.dataset.copyText ?? one("pre", button.closest(".code")).textContent;
  await navigator.clipboard.writeText(text.trim());
  const label = one("[data-label]", button) ?? button;
  const before = label.textContent;
  label.textContent = button.dataset.done;
  setTimeout(() => { label.textContent = before; }, 1600);
}

// The box: example texts, files dropped on it, Ctrl+Enter.
function fill(button) {
  const box = one("#text");
  box.value = one(button.dataset.fill).textContent.trim();
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.focus();
  box.scrollIntoView({ block: "center" });
}

function showFiles(input) {
  const names = [...input.files].map((file) => file.name).join(", ");
  const label = one("[data-file-label]", input.parentElement);
  label.dataset.empty ??= label.textContent;
  label.textContent = names || label.dataset.empty;
}

function acceptDrops(box) {
  const input = one('input[type="file"]', box);
  const toggle = (on) => (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    box.classList.toggle("dropping", on);
  };
  ["dragenter", "dragover"].forEach((name) => box.addEventListener(name, toggle(true)));
  ["dragleave", "drop"].forEach((name) => box.addEventListener(name, toggle(false)));
  box.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// A link to a chip opens it; a chip that a mark points at is folded otherwise.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && (target.matches("details") ? target : target.closest("details"));
  if (folded) folded.open = true;
}

const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-fill]");
  if (!button) return;
  if ("copy" in button.dataset) return void copy(button);
  event.preventDefault();  // without JavaScript the button asks for the page with the text in the box
  fill(button);
});

document.addEventListener("change", (event) => {
  if (event.target.matches('.file-pick input')) showFiles(event.target);
});

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.matches(".button")) setTimeout(() => button.setAttribute("aria-busy", "true"));
});

// Coming back by the browser's own button shows the page as it was left: nothing is busy any more.
window.addEventListener("pageshow", () => all("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy")));

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("#text")) {
    event.target.form.requestSubmit(one("[type=submit]", event.target.form));
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    const box = one("#text, #q");
    if (!box) return;
    event.preventDefault();
    box.focus();
  } else if (event.key === "?") {
    location.href = one("[data-help]").href;
  } else if (event.key === "n") {
    location.href = "/";
  }
});

window.addEventListener("hashchange", openTarget);
document.addEventListener("htmx:load", (event) => enable(event.target));
all(".box").forEach(acceptDrops);
enable(document);
openTarget();
