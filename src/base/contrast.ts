/** A colour as red, green and blue from 0 to 1. */
type Colour = readonly [red: number, green: number, blue: number];
/** A colour in OKLab, where equal distances look equal (bottosson.github.io/posts/oklab). */
type Lab = readonly [lightness: number, a: number, b: number];

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const STEPS = 500;

/** Returns true for a colour such as `#0b4f6c` or `#abc`. */
export function isHexColour(text: string): boolean {
  return HEX.test(text);
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(a: string, b: string): number {
  const [one, other] = [luminance(parse(a)), luminance(parse(b))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the lowest contrast of a colour with several others. */
export function leastContrast(colour: string, others: readonly string[]): number {
  return Math.min(...others.map((other) => contrastOf(colour, other)));
}

/**
 * Returns the nearest colour of the same hue that has a contrast with all others: a lighter or a darker one. Returns the
 * colour itself if it has that contrast, and undefined if no colour has.
 */
export function nearestWithContrast(colour: string, others: readonly string[], contrast: number): string | undefined {
  if (leastContrast(colour, others) >= contrast) return colour;
  const [lightness, a, b] = toLab(parse(colour));
  for (let step = 1; step <= STEPS; step++) {
    for (const direction of [-1, 1]) {
      const moved = lightness + (direction * step) / STEPS;
      if (moved < 0 || moved > 1) continue;
      const colour = toHex(inGamut([moved, a, b]));
      if (leastContrast(colour, others) >= contrast) return colour;
    }
  }
  return undefined;
}

function parse(text: string): Colour {
  const digits = text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text;
  const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}

function toHex(colour: Colour): string {
  const part = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 255).toString(16);
  return `#${colour.map((value) => part(value).padStart(2, '0')).join('')}`;
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function fromLinear(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map(toLinear) as unknown as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toLab(colour: Colour): Lab {
  const [red, green, blue] = colour.map(toLinear) as unknown as Colour;
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromLab([lightness, a, b]: Lab): Colour {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Returns a colour that a screen can show: less saturated where necessary. */
function inGamut([lightness, a, b]: Lab): Colour {
  let colour: Colour = [0, 0, 0];
  for (let share = 1; share >= 0; share -= 0.05) {
    colour = fromLab([lightness, a * share, b * share]);
    if (colour.every((part) => part >= -0.001 && part <= 1.001)) break;
  }
  return colour.map((part) => fromLinear(Math.min(1, Math.max(0, part)))) as unknown as Colour;
}
