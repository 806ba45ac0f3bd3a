import { expect, test } from "vitest";
import { deviceNameOf } from "./device_name.ts";

const KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)";
const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

test.each<[string, string, number?]>([
  ["Chrome · Android", `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/131.0.0.0 Mobile Safari/537.36`, 5],
  ["Samsung Internet · Android", `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`, 5],
  ["Edge · Android", `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/131.0.0.0 Mobile Safari/537.36 EdgA/131.0.0.0`, 5],
  ["Opera · Android", `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/130.0.0.0 Mobile Safari/537.36 OPR/86.0.0.0`, 5],
  ["Firefox · Android", "Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0", 5],
  ["Safari · iPhone", `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} Version/18.1 Mobile/15E148 Safari/604.1`, 5],
  ["Chrome · iPhone", `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`, 5],
  ["Firefox · iPhone", `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`, 5],
  ["Edge · iPhone", `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${APPLE} Version/18.0 EdgiOS/131.0.0.0 Mobile/15E148 Safari/604.1`, 5],
  ["Safari · iPad", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.1 Safari/605.1.15`, 5],
  ["Safari · iPad", `Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) ${APPLE} Version/12.1.2 Mobile/15E148 Safari/604.1`, 5],
  ["Safari · Mac", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.1 Safari/605.1.15`],
  ["Chrome · Mac", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${KHTML} Chrome/131.0.0.0 Safari/537.36`],
  ["Edge · Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, 10],
  ["Opera · Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`],
  ["Firefox · Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0"],
  ["Chrome · Linux", `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/131.0.0.0 Safari/537.36`],
  ["Firefox · Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"],
  ["Chrome · Chromebook", `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KHTML} Chrome/131.0.0.0 Safari/537.36`],
  ["browser", "something new"],
])("%s", (name, said, touches = 0) => expect(deviceNameOf(said, touches)).toBe(name));
