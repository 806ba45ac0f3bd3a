/** Keys of a question that are pressed elsewhere: on the card around it, or on the page. */

/** Is the person typing there? Then keys are letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox", "button", "submit"].includes(target.type);
}

/** Passes a key to the first question of a card that has no choice yet. Returns whether there was one. */
export function chooseByKey(card: HTMLElement, key: string): boolean {
  const questions = [...card.querySelectorAll<HTMLElement>("[data-question]")].filter((one) => one.querySelector("[data-option]"));
  const open = questions.find((one) => !one.querySelector("[data-option][aria-checked='true']")) ?? questions[0];
  const option = open?.querySelector<HTMLElement>("[data-option][tabindex='0']");
  if (!option) return false;
  option.focus();
  if (/^[1-9]$/.test(key)) option.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}
