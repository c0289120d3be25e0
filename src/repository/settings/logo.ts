import { imageSize } from 'image-size';
import { createHtmlParser } from '../../base/html-parser.ts';

export const MAX_LOGO_BYTES = 512 * 1024;

/** The types of logos, by the names that the reader of image sizes gives them. */
const TYPES: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
};

/** An image for the header. */
export interface Logo {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the size of a logo in pixels. Throws RangeError with a sentence. */
export function logoSize(bytes: Uint8Array): { width: number; height: number; type?: string } {
  if (bytes.byteLength > MAX_LOGO_BYTES)
    throw new RangeError(`a logo must have at most ${MAX_LOGO_BYTES} bytes, found ${bytes.byteLength}`);
  try {
    return imageSize(bytes);
  } catch {
    // The library throws for every file that it cannot read.
    throw new RangeError('this is no image with a size; an SVG needs width and height, or a viewBox');
  }
}

/** Returns the logo of an uploaded file. Throws RangeError with a sentence. */
export function parseLogo(bytes: Uint8Array<ArrayBuffer>): Logo {
  const { width, height, type = '' } = logoSize(bytes);
  const mediaType = TYPES[type];
  if (mediaType === undefined) throw new RangeError('a logo must be an SVG, PNG, WebP or JPEG file');
  if (type === 'svg') requireStill(new TextDecoder().decode(bytes));
  return { bytes, type: mediaType, width, height };
}

/** Elements of SVG that run scripts, or hold other documents. */
const ACTIVE_ELEMENTS = new Set([
  'script',
  'foreignobject',
  'iframe',
  'embed',
  'object',
  'audio',
  'video',
  'handler',
  'listener',
]);
/** The allowed addresses in a drawing: a part of the drawing, or a picture in it. */
const OWN_ADDRESS = /^\s*(?:#|data:image\/(?:png|jpeg|webp|gif);)/i;
const FOREIGN_STYLE = /@import|url\(\s*['"]?(?!['"]?(?:#|data:image\/(?:png|jpeg|webp|gif);))/i;

/** Throws RangeError for a drawing that runs scripts or loads anything. It is refused rather than changed: it stays as it was drawn. */
function requireStill(text: string): void {
  const refuse = (what: string) => {
    throw new RangeError(`a logo must not contain ${what}; save it as plain SVG, or as PNG`);
  };
  if (/<!ENTITY/i.test(text)) refuse('entities');
  let isStyle = false;
  const parser = createHtmlParser(
    {
      onopentag(name, attributes) {
        const local = localName(name);
        if (ACTIVE_ELEMENTS.has(local)) refuse(`the element <${local}>`);
        isStyle = local === 'style';
        for (const [attribute, value] of Object.entries(attributes)) {
          const known = localName(attribute);
          if (known.startsWith('on')) refuse(`the script "${known}"`);
          if ((known === 'href' || known === 'src') && local !== 'a' && !OWN_ADDRESS.test(value))
            refuse('files from other addresses');
          if (/^\s*(?:java|vb)script:/i.test(value)) refuse('a script in an address');
          if (FOREIGN_STYLE.test(value)) refuse('files from other addresses');
        }
      },
      ontext(data) {
        if (isStyle && FOREIGN_STYLE.test(data)) refuse('files from other addresses');
      },
      onclosetag(name) {
        if (localName(name) === 'style') isStyle = false;
      },
      onprocessinginstruction(name) {
        if (name.toLowerCase().startsWith('?xml-stylesheet')) refuse('files from other addresses');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
