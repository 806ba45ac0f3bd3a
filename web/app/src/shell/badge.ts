/** The number of open asks, in the tab's title, its icon, and on the app's icon. */

const TITLE = "askbridge";
let shown = -1;

export function badge(count: number) {
  if (count === shown) return;
  shown = count;
  document.title = count > 0 ? `(${count}) ${TITLE}` : TITLE;
  icon(count);
  const apps = navigator as { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
  void (count > 0 ? apps.setAppBadge?.(count) : apps.clearAppBadge?.())?.catch(() => undefined);
}

function icon(count: number) {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!link) return;
  const text = count > 99 ? "99" : String(count);
  const lantern = count > 0
    ? `<circle cx="44" cy="20" r="19" fill="#a86200"/><text x="44" y="28" font-family="sans-serif" font-weight="700" font-size="${text.length > 1 ? 22 : 26}" text-anchor="middle" fill="#fff">${text}</text>`
    : `<circle cx="32" cy="13" r="5" fill="#e9b05a"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0c6a5b"/><path d="M9 48c4-18 13-26 23-26s19 8 23 26" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round"/><path d="M32 48V23" stroke="#fff" stroke-width="3" opacity=".7"/>${lantern}</svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
