/** Small components that several pages use. */

import type { ButtonHTMLAttributes, ReactNode } from "react";
import "./parts.css";

type Kind = "plain" | "main" | "stop" | "quiet";

export function Button({ kind = "plain", className = "", ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: Kind }) {
  return <button type="button" {...rest} className={`app-button app-button-${kind} ${className}`} />;
}

/** A page: its title, its actions, and its content. */
export function Page({ title, actions, children, wide = false }: {
  readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode; readonly wide?: boolean;
}) {
  return (
    <section className={`app-page ${wide ? "app-page-wide" : ""}`} aria-labelledby="page-title">
      <header className="app-page-head">
        <h1 id="page-title" tabIndex={-1}>{title}</h1>
        {actions && <div className="app-page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** An empty state: nothing is here, and perhaps what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="app-empty">
      <BridgeMark />
      <p className="app-empty-title">{title}</p>
      {children}
    </div>
  );
}

/** The logo: two banks, and a person who waits on one of them. */
export function BridgeMark({ size = 56 }: { readonly size?: number }) {
  return (
    <svg className="app-mark" width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <path d="M6 46h52" stroke="currentColor" strokeWidth="3" strokeLinecap="round" opacity=".35" />
      <path d="M10 44c4-17 12-25 22-25s18 8 22 25" fill="none" stroke="currentColor" strokeWidth="4" strokeLinecap="round" />
      <path d="M21 44v-15M32 44V20M43 44v-15" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" opacity=".6" />
      <circle className="app-mark-lantern" cx="32" cy="11" r="4.5" />
    </svg>
  );
}

/** A choice of a few options, shown side by side. */
export function Choice<T extends string>({ label, value, options, onChange }: {
  readonly label: string; readonly value: T; readonly options: readonly (readonly [T, string])[]; readonly onChange: (value: T) => void;
}) {
  return (
    <fieldset className="app-choice">
      <legend>{label}</legend>
      <div className="app-choice-row">
        {options.map(([key, name]) => (
          <label key={key} className="app-choice-one">
            <input type="radio" name={label} value={key} checked={key === value} onChange={() => onChange(key)} />
            <span>{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
