/** The few icons of the cards, inline so that nothing is fetched. */

const PATHS = {
  folder: "M2 4.5h4l1.5 1.5H14v7H2z",
  machine: "M2.5 3h11v7.5h-11zM6 13h4M8 10.5V13",
  branch:
    "M4.5 2.2a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM11.5 2.2a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM4.5 10.6a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM4.5 5.4v5.2M11.5 5.4c0 3.4-7 1.6-7 5.2",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3",
  check: "M3 8.5l3.2 3L13 4.5",
  note: "M3 3h10v7l-3 3H3zM10 13v-3h3",
  alert: "M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.1",
  moon: "M12.5 10A5.5 5.5 0 0 1 6 3.5 5.5 5.5 0 1 0 12.5 10z",
  lantern: "M6 2.5h4M5 4.5h6v6.5H5zM6.5 13.5h3M8 6.5v2.5",
  out: "M9 3h4v4M13 3L7.5 8.5M11 9.5V13H3V5h3.5",
  bell: "M4 11.5V7.2a4 4 0 0 1 8 0v4.3zM2.8 11.5h10.4M6.8 13.6h2.4",
  broken: "M2 11c2-4 4-4 5-3M14 11c-2-4-4-4-5-3M2 13h4M10 13h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ of, label }: { readonly of: IconName; readonly label?: string }) {
  return (
    <svg
      className="ab-icon"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
    >
      <path d={PATHS[of]} />
    </svg>
  );
}
