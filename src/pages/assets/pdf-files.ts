import foxitDingbats from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitDingbats.pfb' with { type: 'file' };
import foxitSymbol from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSymbol.pfb' with { type: 'file' };
import jbig2 from '../../../node_modules/pdfjs-dist/wasm/jbig2.wasm' with { type: 'file' };
import openjpeg from '../../../node_modules/pdfjs-dist/wasm/openjpeg.wasm' with { type: 'file' };

const FONT = 'application/octet-stream';
const WASM = 'application/wasm';

/**
 * Files that pdf.js asks for by these names: decoders, and the fonts of symbols of documents that embed none. All other fonts
 * that a document lacks are those of the reader's system. The Liberation fonts of pdf.js are under the GPL.
 */
export const PDF_FILES = {
  'FoxitDingbats.pfb': { files: [foxitDingbats], type: FONT },
  'FoxitSymbol.pfb': { files: [foxitSymbol], type: FONT },
  'jbig2.wasm': { files: [jbig2], type: WASM },
  'openjpeg.wasm': { files: [openjpeg], type: WASM },
} as const;
