/** Renders markdown as elements. HTML in it is shown as text. */

import { Fragment, useMemo, type ReactNode } from "react";
import { Lexer, type Token, type Tokens } from "marked";
import { Painted } from "../approval/Painted.tsx";
import { tongueOf } from "../approval/paint.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { safeAddress } from "./links.ts";

/** Beyond this a text is shown as source: parsing would take too long. */
const CHARS_MAX = 200_000;
/** The depth of nested quotes. Beyond: shown as text. */
const DEPTH_MAX = 24;

export default function Rendered({ text, below }: { readonly text: string; readonly below: number }) {
  const tokens = useMemo(() => ranked(parsed(text), below), [text, below]);
  return tokens ? (
    <Blocks tokens={tokens} depth={0} />
  ) : (
    <p className="ab-markdown-plain">
      <Seen text={text} />
    </p>
  );
}

function parsed(text: string): readonly Token[] | null {
  if (text.length > CHARS_MAX || /^(?:[ \t]*>){40}/m.test(text)) return null;
  try {
    return Lexer.lex(text, { gfm: true });
  } catch {
    // Nested so deeply that the parser gave up.
    return null;
  }
}

/** Makes headings go down one level at a time, because screen readers use them as a table of contents. */
function ranked(tokens: readonly Token[] | null, below: number): readonly Token[] | null {
  let before = below;
  for (const token of tokens ?? []) {
    if (token.type !== "heading") continue;
    token.depth = Math.min(6, before + 1, below + Number(token.depth));
    before = Number(token.depth);
  }
  return tokens;
}

interface Level {
  readonly tokens: readonly Token[] | undefined;
  readonly depth: number;
}

function Blocks({ tokens = [], depth }: Level) {
  if (depth > DEPTH_MAX) return <Seen text={tokens.map((token) => token.raw).join("")} />;
  return (
    <>
      {tokens.map((token, at) => (
        <Fragment key={at}>{block(token, depth + 1)}</Fragment>
      ))}
    </>
  );
}

function block(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Heading = `h${(token as Tokens.Heading).depth}` as "h3" | "h4" | "h5" | "h6";
      return (
        <Heading>
          <Inline tokens={token.tokens} depth={depth} />
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens} depth={depth} />
        </p>
      );
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} depth={depth} /> : <Seen text={unescaped(token.text)} />;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return (
        <pre tabIndex={0}>
          <code>
            <Painted code={text} tongue={tongueOf(lang?.split(/\s/)[0] ?? "")} />
          </code>
        </pre>
      );
    }
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} depth={depth} />
        </blockquote>
      );
    case "hr":
      return <hr />;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    default:
      return (
        <p>
          <Seen text={token.raw.trim()} />
        </p>
      );
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const inside = items.map((item, at) => (
    <li key={at} {...(item.task ? { className: "ab-task" } : {})}>
      {item.task && <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>}
      <Blocks tokens={item.tokens.filter((token) => token.type !== "checkbox")} depth={depth} />
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{inside}</ol> : <ul>{inside}</ul>;
}

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <div className="ab-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col">
                <Inline tokens={cell.tokens} depth={depth} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inline tokens={cell.tokens} depth={depth} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ tokens = [], depth }: Level) {
  if (depth > DEPTH_MAX) return <Seen text={tokens.map((token) => token.raw).join("")} />;
  return (
    <>
      {tokens.map((token, at) => (
        <Fragment key={at}>{inline(token, depth + 1)}</Fragment>
      ))}
    </>
  );
}

function inline(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "strong":
      return (
        <strong>
          <Inline tokens={token.tokens} depth={depth} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inline tokens={token.tokens} depth={depth} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inline tokens={token.tokens} depth={depth} />
        </del>
      );
    case "codespan":
      return (
        <code>
          <Seen text={token.text} />
        </code>
      );
    case "br":
      return <br />;
    case "link": {
      const address = safeAddress(token.href);
      const inside = <Inline tokens={token.tokens} depth={depth} />;
      return address ? (
        <a href={address} title={address} target="_blank" rel="noopener noreferrer nofollow">
          {inside}
        </a>
      ) : (
        inside
      );
    }
    case "image":
      return <LeftOut image={token as Tokens.Image} />;
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} depth={depth} /> : <Seen text={unescaped(token.text)} />;
    case "escape":
      return <Seen text={token.text} />;
    case "checkbox":
      return null;
    default:
      return <Seen text={token.raw} />;
  }
}

/** Stands for an external picture, which would tell its server when and from where it was viewed. */
function LeftOut({ image }: { readonly image: Tokens.Image }) {
  const words = useWords();
  return (
    <span className="ab-image-left-out">
      <Seen text={words.imageLeftOut(image.text || image.href)} />
    </span>
  );
}

const NAMED: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

/** Decodes the few HTML entities that people write in markdown. */
const unescaped = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => NAMED[entity] ?? entity);
