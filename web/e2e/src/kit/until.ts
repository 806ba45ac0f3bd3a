/** Polls until a condition holds; on a timeout fails with what it waited for. */
export async function until<T>(look: () => T | Promise<T>, patienceMs = 60_000): Promise<Exclude<T, undefined | null | false>> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>;
    if (Date.now() > end) throw new Error(`this was never so: ${look}`);
    await new Promise((go) => setTimeout(go, 15));
  }
}
