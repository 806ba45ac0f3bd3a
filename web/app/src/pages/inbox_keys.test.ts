import { expect, test, vi } from "vitest";
import { focusList, leavesFilter } from "./inbox_keys.ts";

test("in the filter Esc leaves it with its text, Enter and Down lead to the list, and letters are letters", () => {
  document.body.innerHTML = `<input value="deploy"><ul><li class="ab-row"><button class="ab-row-main" tabindex="-1">a</button></li><li class="ab-row"><button class="ab-row-main" tabindex="0">b</button></li></ul>`;
  const field = document.querySelector("input") as HTMLInputElement;
  const toList = vi.fn(focusList);
  field.focus();
  expect(leavesFilter({ key: "j", isComposing: false }, field, toList)).toBe(false);
  expect(leavesFilter({ key: "Enter", isComposing: true }, field, toList)).toBe(false);
  expect(document.activeElement).toBe(field);
  expect(leavesFilter({ key: "Escape", isComposing: false }, field, toList)).toBe(true);
  expect([document.activeElement, field.value, toList.mock.calls.length]).toEqual([document.body, "deploy", 0]);
  for (const key of ["Enter", "ArrowDown"]) {
    field.focus();
    expect(leavesFilter({ key, isComposing: false }, field, toList)).toBe(true);
    expect(document.activeElement?.textContent).toBe("b");
  }
});

test("the row that was chosen comes before the one that was reached last", () => {
  document.querySelector(".ab-row")?.setAttribute("data-selected", "");
  focusList();
  expect(document.activeElement?.textContent).toBe("a");
});
