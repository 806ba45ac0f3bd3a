/** A sentence or two that stand out on a card. */

import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon.tsx";

export function Notice({
  icon,
  tone,
  children,
}: {
  readonly icon: IconName;
  readonly tone: "stop" | "lantern" | "calm";
  readonly children: ReactNode;
}) {
  return (
    <div className="ab-notice" data-tone={tone} {...(tone === "stop" ? { role: "alert" } : {})}>
      <Icon of={icon} />
      <div>{children}</div>
    </div>
  );
}
