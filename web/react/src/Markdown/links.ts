/** Which links in an agent's text may be followed. */

const SCHEMES = ["https:", "http:", "mailto:"];

/** Returns the full address, if it leads to a page or a mailbox. */
export function safeAddress(href: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(href.trim())) return null;
  try {
    const address = new URL(href.trim());
    return SCHEMES.includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}
