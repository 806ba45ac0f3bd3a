/** Which addresses may be followed from a text that an agent wrote. */

const SCHEMES = ["https:", "http:", "mailto:"];

/** The address, if it leads to a page or a mailbox, written out in full. */
export function safeAddress(href: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(href.trim())) return null;
  try {
    const address = new URL(href.trim());
    return SCHEMES.includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}
