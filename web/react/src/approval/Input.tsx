/** Shows a tool's input for people: a command, a change to a file, an address, or raw data. Loaded when needed. */

import { useMemo } from "react";
import { Tall } from "../card/Tall.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { Diff } from "./Diff.tsx";
import { End } from "./ends.tsx";
import { counted } from "./lines.ts";
import { Painted } from "./Painted.tsx";
import { tongueOf } from "./paint.ts";
import { meaningOf } from "./tool.ts";

export interface InputProps {
  readonly tool: string;
  readonly input: unknown;
  readonly folder: string | undefined;
}

export default function Input({ tool, input, folder }: InputProps) {
  const words = useWords();
  const meaning = useMemo(() => meaningOf(tool, input), [tool, input]);
  switch (meaning.kind) {
    case "command":
      return (
        <figure className="ab-input-shown">
          <figcaption>
            <span>{words.command}</span>
            {folder && (
              <span className="ab-mono">
                {words.runsIn} <Seen text={folder} />
              </span>
            )}
          </figcaption>
          <Tall className="ab-code" data-shell="">
            <code>
              <Painted code={meaning.command} tongue="shell" />
            </code>
            <End />
          </Tall>
          {meaning.about && (
            <p className="ab-quiet">
              <Seen text={meaning.about} />
            </p>
          )}
          <Rest input={input} shown={["command", "cmd", "description"]} />
        </figure>
      );
    case "change": {
      const { added, removed } = counted(meaning.lines);
      return (
        <figure className="ab-input-shown">
          <figcaption>
            <span className="ab-mono ab-file">
              <Seen text={meaning.file} />
            </span>
            <span>{meaning.isWhole ? words.newFile : words.changes(added, removed)}</span>
          </figcaption>
          <Diff lines={meaning.lines} tongue={tongueOf(meaning.file)} />
          <Rest
            input={input}
            shown={[
              "file_path",
              "path",
              "notebook_path",
              "old_string",
              "new_string",
              "content",
              "new_source",
              "edits",
              "patch",
              "diff",
            ]}
          />
        </figure>
      );
    }
    case "address":
      return (
        <figure className="ab-input-shown">
          <figcaption>
            <span>{tool}</span>
          </figcaption>
          <Tall className="ab-code">
            <code>
              <Seen text={meaning.url} />
            </code>
            <End />
          </Tall>
          <Rest input={input} shown={["url"]} />
        </figure>
      );
    case "tap":
      // What is wanted is already the headline.
      return <Rest input={input} shown={["wants"]} />;
    case "other":
      return (
        <figure className="ab-input-shown">
          <figcaption>
            <span>{words.input}</span>
          </figcaption>
          <Tall className="ab-code">
            <code>
              <Painted code={JSON.stringify(input, null, 2) ?? "null"} tongue="json" />
            </code>
            <End />
          </Tall>
        </figure>
      );
  }
}

/** Shows the rest of the input: all of it is passed to the tool, so all of it must be visible. */
function Rest({ input, shown }: { readonly input: unknown; readonly shown: readonly string[] }) {
  const words = useWords();
  const rest = Object.entries(input as Record<string, unknown>).filter(([key]) => !shown.includes(key));
  return (
    <>
      {rest.length > 0 && (
        <dl className="ab-rest" aria-label={words.input}>
          {rest.map(([key, value]) => (
            <div key={key}>
              <dt>
                <Seen text={key} />
              </dt>
              <dd>
                <Seen text={typeof value === "string" ? value : JSON.stringify(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <End />
    </>
  );
}
