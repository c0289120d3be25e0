/** A picture in a document: a grey JPEG, and how many pixels it has. */
export interface Picture {
  jpeg: Uint8Array;
  width: number;
  height: number;
}

/** A document of one page, 300 by 200 points, as Debian lets ImageMagick write none. `title` may hold anything. */
export function pdfWithText(text: string, title = 'Untitled'): Uint8Array<ArrayBuffer> {
  const drawing = `BT /F1 24 Tf 20 100 Td (${text}) Tj ET`;
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    stream('', drawing),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    `<</Title(${title})>>`,
  ]);
}

/**
 * A scan: a document with a page for each picture, at `pixelsPerInch`, and without text. `unseen` is how
 * many points its sheets are wider and higher than what is shown of them.
 */
export function pdfWithPictures(
  pictures: readonly Picture[],
  title = 'Untitled',
  pixelsPerInch = 300,
  unseen = 0,
): Uint8Array<ArrayBuffer> {
  const numbers = pictures.map((_, index) => 4 + 3 * index);
  const points = (pixels: number) => (pixels * 72) / pixelsPerInch;
  const pages = pictures.flatMap(({ jpeg, width, height }, index) => {
    const number = numbers[index] as number;
    const [wide, high] = [points(width), points(height)];
    const shown = unseen > 0 ? `/CropBox[0 0 ${wide} ${high}]` : '';
    const content = `${number + 1} 0 R/Resources<</XObject<</P ${number + 2} 0 R>>>>`;
    const image = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`;
    return [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide + unseen} ${high + unseen}]${shown}/Contents ${content}>>`,
      stream('', `${wide} 0 0 ${high} 0 0 cm /P Do`),
      stream(`${image}/ColorSpace/DeviceGray/Filter/DCTDecode`, Buffer.from(jpeg).toString('latin1')),
    ];
  });
  const kids = numbers.map((number) => `${number} 0 R`).join(' ');
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${numbers.length}>>`,
    `<</Title(${title})>>`,
    ...pages,
  ]);
}

function stream(dictionary: string, bytes: string): string {
  return `<<${dictionary}/Length ${bytes.length}>>stream\n${bytes}\nendstream`;
}

/** A file of these objects, one character a byte. The first is the catalogue; one with a title is the description. */
function pdfOf(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const info = objects.findIndex((object) => object.startsWith('<</Title')) + 1;
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R/Info ${info} 0 R>>`;
  return new Uint8Array(Buffer.from(`${file}${xref}${trailer}\nstartxref\n${file.length}\n%%EOF\n`, 'latin1'));
}

/** A document that opens with a password only: no password has these checksums. */
export function pdfWithPassword(): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(pdfWithText('Secret')).toString('latin1');
  const checksum = `<${'ab'.repeat(32)}>`;
  const lock = `/Encrypt<</Filter/Standard/V 1/R 2/O${checksum}/U${checksum}/P -4>>/ID[<ab><ab>]`;
  return new Uint8Array(Buffer.from(file.replace('/Root 1 0 R', `/Root 1 0 R${lock}`), 'latin1'));
}
