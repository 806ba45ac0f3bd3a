/** Which rule files are in force, and what is wrong with them as they are now. */

import type { RuleProblem, Rules } from "@askbridge/client";
import { useRuleWords } from "./rule_words.ts";

export function InForce({ rules, at }: { readonly rules: Rules; readonly at: (time: string) => string }) {
  const words = useRuleWords();
  const { file, gobby } = rules;
  return (
    <section className="app-form app-section" aria-label={words.inForce}>
      <h2>{words.inForce}</h2>
      <p className="app-note app-place">
        {file === null ? words.inForceNone : words.inForceFile(file, rules.since === null ? null : at(rules.since))}
      </p>
      {rules.rules > 0 && <p className="app-note">{words.inForceAll(rules.rules)}</p>}
      {rules.waits_for_tap && <p className="app-note" role="status">{words.inForceWaits}</p>}
      {rules.problems.length > 0 && <Problems of={file ?? ""} problems={rules.problems} more={words.inForceBefore} />}
      {rules.projects.map((project) => (
        <div key={project.file}>
          <p className="app-note app-place">{words.inForceProject(project.file, project.rules, project.trusted)}</p>
          {project.problems.length > 0 && <Problems of={project.file} problems={project.problems} more={words.inForceProjectProblems} />}
        </div>
      ))}
      {gobby?.folder && (
        <p className="app-note app-place">{words.inForceGobby(gobby.folder, gobby.rules?.active ?? 0, gobby.rules?.inactive ?? 0)}</p>
      )}
      {gobby?.waits_for_tap && <p className="app-note" role="status">{words.inForceWaits}</p>}
      {gobby?.problem && <p className="app-trouble" role="alert"><Coded text={gobby.problem} /></p>}
    </section>
  );
}

/** A text of the server, in which backticks mark what is typed. */
function Coded({ text }: { readonly text: string }) {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

function Problems({ of, problems, more }: { readonly of: string; readonly problems: readonly RuleProblem[]; readonly more: string }) {
  return (
    <div className="app-trouble" role="alert">
      <p>{more}</p>
      <ul>
        {problems.map(({ line, column, what, hint }) => (
          <li key={`${line}:${column}:${what}`}><bdi>{of}:{line}:{column}</bdi>: <Coded text={hint ? `${what} (${hint})` : what} /></li>
        ))}
      </ul>
    </div>
  );
}
