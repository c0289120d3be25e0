/** Where programs come from: the package of Debian, and that of Homebrew. */
const PACKAGES: Record<string, readonly [debian: string, homebrew: string]> = {
  bash: ['bash', 'bash'],
  convert: ['imagemagick', 'imagemagick'],
  exiftool: ['libimage-exiftool-perl', 'exiftool'],
  ffmpeg: ['ffmpeg', 'ffmpeg'],
  pandoc: ['pandoc', 'pandoc'],
  pdfinfo: ['poppler-utils', 'poppler'],
  pdftoppm: ['poppler-utils', 'poppler'],
  pdftotext: ['poppler-utils', 'poppler'],
  prlimit: ['util-linux', 'util-linux'],
  soffice: ['libreoffice-writer-nogui and libreoffice-impress-nogui', 'libreoffice'],
  tar: ['tar', 'gnu-tar'],
  tesseract: ['tesseract-ocr', 'tesseract'],
};

/**
 * Programs as one would list them, each with the packages that it comes in, if we know:
 * `convert (Debian: imagemagick, Homebrew: imagemagick) and mytool`.
 */
export function listWithPackages(programs: readonly string[]): string {
  return listInWords(programs.map(withPackages));
}

/** `a`, `a and b`, `a, b and c`. */
export function listInWords(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function withPackages(program: string): string {
  const packages = Object.hasOwn(PACKAGES, program) ? PACKAGES[program] : undefined;
  return packages ? `${program} (Debian: ${packages[0]}, Homebrew: ${packages[1]})` : program;
}
