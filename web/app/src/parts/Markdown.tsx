export function Markdown({ text }: { readonly text: string }) {
  return <div className="app-plain">{text}</div>;
}
