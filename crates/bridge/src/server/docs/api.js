// Shows /v1/openapi.json: addresses by group, what they take and return, and the shapes. All text is set as text.

const $ = (id) => document.querySelector(`#${id}`);

function make(name, { text, className, href, id, children = [] } = {}) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  if (href) element.href = href;
  if (id) element.id = id;
  element.append(...children);
  return element;
}

// The little Markdown that descriptions use: `code`, [text](link), *emphasis*, and paragraphs.
function prose(text) {
  const inline = (part) => {
    const pieces = part.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\)|\*[^*]+\*)/);
    return pieces.filter(Boolean).map((piece) => {
      const link = /^\[([^\]]+)\]\((\/[^)]*|#[^)]*)\)$/.exec(piece);
      if (link) return make("a", { href: link[2], children: inline(link[1]) });
      if (piece.startsWith("`")) return make("code", { text: piece.slice(1, -1) });
      if (/^\*.+\*$/.test(piece)) return make("em", { text: piece.slice(1, -1) });
      return document.createTextNode(piece);
    });
  };
  return text.split(/\n\n+/).map((part) => make("p", { children: inline(part) }));
}

const shapeName = (ref) => ref.split("/").pop();

// One line that says what a schema is.
function type(schema) {
  if (schema === true || schema === undefined) return [document.createTextNode("anything")];
  const words = (text) => [document.createTextNode(text)];
  const joined = (list, between) => list.flatMap((one, at) => (at ? [document.createTextNode(between), ...type(one)] : type(one)));
  if (schema.$ref) return [make("a", { href: `#shape-${shapeName(schema.$ref)}`, text: shapeName(schema.$ref) })];
  if ("const" in schema) return [make("code", { text: JSON.stringify(schema.const) })];
  if (schema.enum) return schema.enum.flatMap((value, at) => [...(at ? words(" | ") : []), make("code", { text: JSON.stringify(value) })]);
  const several = schema.oneOf ?? schema.anyOf;
  if (several && !schema.properties && several.every((one) => one.$ref || one.type || one.const || one.enum)) return joined(several, " | ");
  const types = [schema.type ?? (schema.properties ? "object" : "anything")].flat();
  if (types.includes("array")) return [...words("list of "), ...type(schema.items), ...(types.length > 1 ? words(" | null") : [])];
  if (types.includes("object") && schema.additionalProperties) return [...words("map of "), ...type(schema.additionalProperties)];
  const format = schema.format ? ` (${schema.format})` : "";
  return words(types.join(" | ") + format);
}

function fields(schema) {
  const list = make("dl");
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const need = (schema.required ?? []).includes(name) ? "" : "?";
    list.append(make("dt", { children: [document.createTextNode(`${name}${need}: `), make("span", { className: "type", children: type(field) })] }));
    if (field.description) list.append(make("dd", { children: prose(field.description) }));
    if (field.properties) list.append(make("dd", { children: [fields(field)] }));
  }
  return list;
}

function shape(schema) {
  const parts = schema.description ? prose(schema.description) : [];
  const several = schema.oneOf ?? schema.anyOf ?? [];
  if (schema.properties) parts.push(fields(schema));
  else if (!several.some((one) => one.properties)) parts.push(make("p", { className: "type", children: type(schema) }));
  for (const one of several.filter((one) => one.properties)) {
    parts.push(make("h4", { text: one.title ?? "one of" }), ...(one.description ? prose(one.description) : []), fields(one));
  }
  return parts;
}

function content(body) {
  return Object.entries(body.content ?? {}).flatMap(([kind, { schema, example }]) => [
    make("p", { children: [make("code", { text: kind }), document.createTextNode(" "), ...type(schema)] }),
    ...(example ? [make("pre", { text: JSON.stringify(example, null, 2) })] : []),
  ]);
}

function operation(path, method, op) {
  const name = `${method.toUpperCase()}`;
  const head = make("summary", { children: [
    make("span", { className: `method ${name}`, text: name }), make("code", { text: path }), document.createTextNode(` ${op.summary ?? ""}`),
  ] });
  const inside = make("div");
  if (op.description) inside.append(...prose(op.description));
  if ((op.security ?? []).length === 0) inside.append(make("p", { className: "quiet", text: "Nobody is asked for a token." }));
  if (op.parameters?.length) {
    const list = make("dl");
    for (const it of op.parameters) {
      const where = make("span", { className: "quiet", text: ` in ${it.in}: ` });
      list.append(make("dt", { children: [document.createTextNode(it.name), where, ...type(it.schema)] }));
      if (it.description) list.append(make("dd", { children: prose(it.description) }));
    }
    inside.append(make("h3", { text: "Parameters" }), list);
  }
  if (op.requestBody) inside.append(make("h3", { text: `Body${op.requestBody.required ? "" : " (may be left out)"}` }), ...content(op.requestBody));
  inside.append(make("h3", { text: "Responses" }));
  const list = make("dl");
  for (const [status, response] of Object.entries(op.responses)) {
    list.append(make("dt", { text: status }), make("dd", { children: [...prose(response.description), ...(status < 400 ? content(response) : [])] }));
  }
  inside.append(list);
  const card = make("details", { id: op.operationId, children: [head, inside] });
  card.dataset.words = `${name} ${path} ${JSON.stringify(op)}`.toLowerCase();
  return card;
}

// What a link leads to is opened.
function open() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  if (target) target.scrollIntoView();
}

function search() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const card of document.querySelectorAll("details")) {
    card.hidden = !words.every((word) => card.dataset.words.includes(word));
    found += card.hidden ? 0 : 1;
  }
  for (const link of document.querySelectorAll("nav li")) link.hidden = document.getElementById(link.dataset.of).hidden;
  for (const group of document.querySelectorAll("section")) group.hidden = !group.querySelector("details:not([hidden])");
  $("state").textContent = words.length ? `${found} found` : "";
}

async function show() {
  const doc = await (await fetch("/v1/openapi.json")).json();
  $("about").append(...prose(doc.info.description));
  for (const tag of doc.tags) {
    const section = make("section", { children: [make("h2", { text: tag.name }), ...prose(tag.description)] });
    const links = make("ul");
    for (const [path, methods] of Object.entries(doc.paths)) {
      for (const [method, op] of Object.entries(methods)) {
        if (!op.tags.includes(tag.name)) continue;
        section.append(operation(path, method, op));
        const link = make("a", { href: `#${op.operationId}`, children: [
          make("span", { className: `method ${method.toUpperCase()}`, text: method.toUpperCase() }), document.createTextNode(path),
        ] });
        const item = make("li", { children: [link] });
        item.dataset.of = op.operationId;
        links.append(item);
      }
    }
    $("operations").append(section);
    $("contents").append(make("h2", { text: tag.name }), links);
  }
  for (const [name, schema] of Object.entries(doc.components.schemas)) {
    const card = make("details", { id: `shape-${name}`, children: [make("summary", { text: name }), make("div", { children: shape(schema) })] });
    card.dataset.words = `${name} ${JSON.stringify(schema)}`.toLowerCase();
    $("shapes").append(card);
  }
  $("state").textContent = "";
  open();
}

$("search").addEventListener("input", search);
addEventListener("hashchange", open);
show().catch(() => { $("state").textContent = "The document could not be read. Reload to try again."; });
