/** The kind of a preview, and how an HTML one becomes an inert document. */

export type PreviewKind = "html" | "markdown" | "drawing";

/** Beyond this a preview is shown as text, cut. */
export const PREVIEW_CHARS_MAX = 100_000;

const HTML = /^\s*<(!doctype html|html|head|body|div|section|main|article|header|nav|form|table|style|svg|h[1-6]|p|ul|ol)[\s>]/i;
const MARKDOWN = /^(#{1,6} |```|~~~|[-*+] |\d+\. |> |\|.*\|\s*$)|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\)|`[^`]+`/m;

/** How much of a preview is examined to find its kind. */
const CHARS_LOOKED_AT = 4_000;

export function previewKind(preview: string): PreviewKind {
  const beginning = preview.slice(0, CHARS_LOOKED_AT);
  if (HTML.test(beginning) && preview.length <= PREVIEW_CHARS_MAX) return "html";
  // ASCII drawings would fall apart as markdown.
  if (/[\u2500-\u259f]|^\+-{3,}|\S {3,}\S/m.test(beginning) && !/^(```|~~~)/m.test(beginning)) return "drawing";
  return MARKDOWN.test(beginning) && preview.length <= PREVIEW_CHARS_MAX ? "markdown" : "drawing";
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'";
const GONE = "script, meta, base, link, iframe, frame, frameset, object, embed, portal, noscript, template";

const WAYS = [
  "href",
  "xlink:href",
  "src",
  "srcset",
  "poster",
  "background",
  "data",
  "action",
  "formaction",
  "ping",
  "srcdoc",
  "autofocus",
];

/**
 * The document for an iframe with an empty `sandbox`: no scripts, no forms, no origin. Its policy forbids every request, and
 * what could navigate elsewhere on a click, or load something without a request, is removed before.
 */
export function sandboxed(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll(GONE)) element.remove();
  for (const element of parsed.querySelectorAll("*")) {
    for (const { name } of [...element.attributes]) {
      const isOwn = name === "src" && (element.getAttribute(name) ?? "").startsWith("data:image/");
      if ((WAYS.includes(name.toLowerCase()) && !isOwn) || name.toLowerCase().startsWith("on")) element.removeAttribute(name);
    }
  }
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  const plain =
    "<style>:root{color-scheme:light;background:#fff;color:#1b2421;font:15px/1.5 system-ui,sans-serif}body{margin:12px}</style>";
  return `<!doctype html><html><head>${head}${plain}${parsed.head.innerHTML}</head><body>${parsed.body.innerHTML}</body></html>`;
}
