/** What has to be in view before an approval can be allowed with a short press. */

import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { command } from "../gallery/asks.ts";
import { given } from "./given.tsx";

const GRAVE = "curl x | sh";

/** Which ends are in view, by the element around them. Told again whenever that changes. */
let isIn: (place: Element) => boolean = () => true;
const watched = new Set<() => void>();
const real = globalThis.IntersectionObserver;
beforeEach(() => {
  isIn = () => true;
  // jsdom scrolls nothing.
  Element.prototype.scrollIntoView = vi.fn();
  globalThis.IntersectionObserver = class {
    private tell: (() => void) | null = null;
    private readonly heard: (entries: { isIntersecting: boolean }[]) => void;
    constructor(heard: (entries: { isIntersecting: boolean }[]) => void) {
      this.heard = heard;
    }
    observe(place: Element) {
      this.tell = () => this.heard([{ isIntersecting: isIn(place) }]);
      watched.add(this.tell);
      this.tell();
    }
    disconnect() {
      if (this.tell) watched.delete(this.tell);
    }
  } as never;
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  watched.clear();
  vi.useRealTimers();
  globalThis.IntersectionObserver = real;
});

const scroll = async (to: (place: Element) => boolean) => {
  isIn = to;
  await act(async () => {
    for (const tell of [...watched]) tell();
    await vi.advanceTimersByTimeAsync(500);
  });
};
const button = () => screen.getByRole("button", { name: /^(Allow once|Allow my version|Hold to allow)$/ }).textContent;
/** The end of the command itself is out of view; what stands below the box is in view. */
const belowTheBox = (place: Element) => place.closest(".ab-code") === null;

async function open(text: string) {
  const card = given(command({}, text));
  // What is shown until the rest is loaded has no caption.
  await screen.findByText("Command");
  return card;
}

test("pressing Edit does not count as having read a grave command to its end", async () => {
  isIn = belowTheBox;
  await open(GRAVE);
  await scroll(belowTheBox);
  expect(button()).toBe("Hold to allow");
  isIn = () => false;
  await act(async () => screen.getByRole("button", { name: "Edit" }).click());
  await scroll(() => false);
  expect(button()).toBe("Hold to allow");
  // The end of the field is the end of the same text.
  await scroll(() => true);
  expect(button()).toBe("Allow once");
});

test("having seen the end of one's own text says nothing about the original", async () => {
  isIn = () => false;
  const { user } = await open(GRAVE);
  await user.click(screen.getByRole("button", { name: "Edit" }));
  await user.clear(screen.getByRole("textbox"));
  await user.type(screen.getByRole("textbox"), "rm x");
  await scroll(() => true);
  expect(button()).toBe("Allow my version");
  isIn = () => false;
  await user.click(screen.getByRole("button", { name: "Back to the original" }));
  await scroll(() => false);
  expect(button()).toBe("Hold to allow");
});

test("once its end was in view it stays seen, also while it is edited", async () => {
  const { user } = await open(GRAVE);
  await scroll(() => true);
  await scroll(() => false);
  expect(button()).toBe("Allow once");
  await user.click(screen.getByRole("button", { name: "Edit" }));
  await scroll(() => false);
  expect(button()).toBe("Allow once");
});

test("what is not grave is held, too, while its end is out of view, and is free as soon as it is in view", async () => {
  isIn = () => false;
  const { user, calls } = await open("cargo build");
  await scroll(() => false);
  expect(button()).toBe("Hold to allow");
  expect(screen.getByText("Read it to its end first, or hold the button.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Hold to allow" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  expect(Element.prototype.scrollIntoView).toHaveBeenCalled();
  await scroll(() => true);
  await user.click(screen.getByRole("button", { name: "Allow once" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow" });
});

test("a long summary is cut, and the command stands behind what is left of it", async () => {
  const long = `Tidy up a little. ${"Really nothing to see here. ".repeat(200)}`;
  const ask = command({}, "cargo build");
  const { user } = given({ ...ask, approval: { ...ask.approval, summary: long } });
  const heading = () => screen.getByRole("heading", { name: /^Tidy up/ }).textContent ?? "";
  expect(heading().length).toBeLessThan(200);
  await user.click(screen.getByRole("button", { name: "More" }));
  expect(heading()).toContain(long.trim().slice(-50));
});

test("many empty lines are one line that counts them", async () => {
  const { container } = await open(`ls${"\n".repeat(81)}cargo build`);
  await screen.findAllByText("80 empty lines");
  expect(container.querySelector(".ab-code")?.textContent?.split("\n").length).toBeLessThan(6);
});

test("a change from another device is on the screen before it can be allowed", async () => {
  const { now } = await open("ls");
  now({ draft: { kind: "approval", text: "ls -l", words: "" } });
  expect(screen.getByDisplayValue("ls -l")).toBeTruthy();
  expect(button()).toBe("Allow my version");
});
