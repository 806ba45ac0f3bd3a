/** Which rows of a long list to render. All rows have the same height. */

export interface Scrolled {
  readonly rows: number;
  readonly rowPx: number;
  readonly topPx: number;
  readonly heightPx: number;
}

/** Rows rendered beyond the edges, so that a quick swipe finds them there. */
const BEYOND = 6;

export function windowOf({ rows, rowPx, topPx, heightPx }: Scrolled): { readonly from: number; readonly to: number } {
  const first = Math.floor(Math.max(0, topPx) / rowPx);
  const last = Math.ceil((Math.max(0, topPx) + heightPx) / rowPx);
  const from = Math.max(0, Math.min(first - BEYOND, rows - 1));
  return { from, to: Math.min(rows, last + BEYOND) };
}

/** Returns where to scroll so that a row is in view, or `null` if it is. */
export function scrollFor(row: number, { rowPx, topPx, heightPx }: Scrolled): number | null {
  if (row * rowPx < topPx) return row * rowPx;
  return (row + 1) * rowPx > topPx + heightPx ? (row + 1) * rowPx - heightPx : null;
}
