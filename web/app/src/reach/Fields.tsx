/** What the services need to know, one set of fields for each kind. */

import type { NewChannel } from "@askbridge/client";
import { useReachWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";
import { Field } from "./AddChannel.tsx";
import type { Kind } from "./kinds.tsx";
import { isPublicNtfy, randomSecret, randomTopic } from "./outcomes.ts";

export interface Typed {
  readonly server: string;
  readonly topic: string;
  readonly token: string;
  readonly appToken: string;
  readonly url: string;
  readonly secret: string;
  readonly program: string;
  readonly args: string;
}

export const nothingTyped: Typed = { server: "https://ntfy.sh", topic: "", token: "", appToken: "", url: "", secret: "", program: "", args: "" };

/** The service's part of a new channel. */
export function newChannel(kind: Exclude<Kind, "web_push">, typed: Typed): NewChannel {
  const filled = (value: string) => value.trim() || undefined;
  switch (kind) {
    case "ntfy": {
      const token = filled(typed.token);
      return { kind, server: typed.server.trim(), topic: typed.topic.trim(), ...(token ? { token } : {}) };
    }
    case "telegram": return { kind, bot_token: typed.token.trim() };
    case "slack": return { kind, app_token: typed.appToken.trim(), bot_token: typed.token.trim() };
    case "webhook": {
      const secret = filled(typed.secret);
      return { kind, url: typed.url.trim(), ...(secret ? { secret } : {}) };
    }
    case "command": return { kind, program: typed.program.trim(), args: typed.args.split("\n").filter((line) => line !== "") };
  }
}

export function Fields({ kind, typed, onChange }: { readonly kind: Kind; readonly typed: Typed; readonly onChange: (typed: Typed) => void }) {
  const words = useReachWords();
  const text = (key: keyof Typed, more?: object) => ({
    className: "app-input", value: typed[key], autoCapitalize: "none", autoCorrect: "off", spellCheck: false, autoComplete: "off",
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...typed, [key]: target.value }), ...more,
  });
  switch (kind) {
    case "web_push": return null;
    case "ntfy": return (
      <>
        <Field label={words.ntfyServer} {...(isPublicNtfy(typed.server) ? { more: words.ntfyPublic } : {})}>
          {(more) => <input {...text("server")} type="url" required aria-describedby={more} />}
        </Field>
        <div className="app-with-button">
          <Field label={words.ntfyTopic} more={words.ntfyTopicMore}>
            {(more) => <input {...text("topic")} required pattern="[\-A-Za-z0-9_]+" aria-describedby={more} />}
          </Field>
          <Button onClick={() => onChange({ ...typed, topic: randomTopic() })}>{words.ntfyTopicMake}</Button>
        </div>
        <Field label={words.ntfyToken}>{() => <input {...text("token")} type="password" />}</Field>
      </>
    );
    case "telegram": return (
      <Field label={words.telegramToken} more={words.telegramMore}>{(more) => <input {...text("token")} type="password" required aria-describedby={more} />}</Field>
    );
    case "slack": return (
      <>
        <p className="app-note">{words.slackMore}</p>
        <Field label={words.slackApp}>{() => <input {...text("appToken")} type="password" required />}</Field>
        <Field label={words.slackBot}>{() => <input {...text("token")} type="password" required />}</Field>
      </>
    );
    case "webhook": return (
      <>
        <Field label={words.webhookUrl}>{() => <input {...text("url")} type="url" required placeholder="https://" />}</Field>
        <div className="app-with-button">
          <Field label={words.webhookSecret} more={words.webhookMore}>{(more) => <input {...text("secret")} aria-describedby={more} />}</Field>
          <Button onClick={() => onChange({ ...typed, secret: randomSecret() })}>{words.webhookSecretMake}</Button>
        </div>
      </>
    );
    case "command": return (
      <>
        <Field label={words.commandProgram} more={words.commandMore}>{(more) => <input {...text("program")} required aria-describedby={more} />}</Field>
        <Field label={words.commandArgs}>{() => <textarea {...text("args")} rows={2} />}</Field>
      </>
    );
  }
}
