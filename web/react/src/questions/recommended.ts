/** Agents recommend an option by writing so after its label. People see a mark instead. */

const SUFFIX = /\s*[(（\[]\s*(recommended|推奨|おすすめ)\s*[)）\]]\s*$/iu;

export function recommendation(label: string): { readonly label: string; readonly isRecommended: boolean } {
  const plain = label.replace(SUFFIX, "");
  // A label that is nothing else stays as it is.
  return plain === "" || plain === label ? { label, isRecommended: false } : { label: plain, isRecommended: true };
}
