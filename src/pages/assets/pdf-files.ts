import foxitDingbats from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitDingbats.pfb' with { type: 'file' };
import foxitFixed from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitFixed.pfb' with { type: 'file' };
import foxitFixedBold from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitFixedBold.pfb' with { type: 'file' };
import foxitFixedBoldItalic from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitFixedBoldItalic.pfb' with {
  type: 'file',
};
import foxitFixedItalic from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitFixedItalic.pfb' with {
  type: 'file',
};
import foxitSerif from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSerif.pfb' with { type: 'file' };
import foxitSerifBold from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSerifBold.pfb' with { type: 'file' };
import foxitSerifBoldItalic from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSerifBoldItalic.pfb' with {
  type: 'file',
};
import foxitSerifItalic from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSerifItalic.pfb' with {
  type: 'file',
};
import foxitSymbol from '../../../node_modules/pdfjs-dist/standard_fonts/FoxitSymbol.pfb' with { type: 'file' };
import liberationSansBold from '../../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf' with {
  type: 'file',
};
import liberationSansBoldItalic from '../../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-BoldItalic.ttf' with {
  type: 'file',
};
import liberationSansItalic from '../../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-Italic.ttf' with {
  type: 'file',
};
import liberationSansRegular from '../../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf' with {
  type: 'file',
};
import jbig2 from '../../../node_modules/pdfjs-dist/wasm/jbig2.wasm' with { type: 'file' };
import openjpeg from '../../../node_modules/pdfjs-dist/wasm/openjpeg.wasm' with { type: 'file' };
import qcms from '../../../node_modules/pdfjs-dist/wasm/qcms_bg.wasm' with { type: 'file' };

const FONT = 'application/octet-stream';
const WASM = 'application/wasm';

/** The fonts of documents that embed none, and the decoders of pdf.js, by the names that it asks for. */
export const PDF_FILES = {
  'FoxitDingbats.pfb': { files: [foxitDingbats], type: FONT },
  'FoxitFixed.pfb': { files: [foxitFixed], type: FONT },
  'FoxitFixedBold.pfb': { files: [foxitFixedBold], type: FONT },
  'FoxitFixedBoldItalic.pfb': { files: [foxitFixedBoldItalic], type: FONT },
  'FoxitFixedItalic.pfb': { files: [foxitFixedItalic], type: FONT },
  'FoxitSerif.pfb': { files: [foxitSerif], type: FONT },
  'FoxitSerifBold.pfb': { files: [foxitSerifBold], type: FONT },
  'FoxitSerifBoldItalic.pfb': { files: [foxitSerifBoldItalic], type: FONT },
  'FoxitSerifItalic.pfb': { files: [foxitSerifItalic], type: FONT },
  'FoxitSymbol.pfb': { files: [foxitSymbol], type: FONT },
  'LiberationSans-Bold.ttf': { files: [liberationSansBold], type: FONT },
  'LiberationSans-BoldItalic.ttf': { files: [liberationSansBoldItalic], type: FONT },
  'LiberationSans-Italic.ttf': { files: [liberationSansItalic], type: FONT },
  'LiberationSans-Regular.ttf': { files: [liberationSansRegular], type: FONT },
  'jbig2.wasm': { files: [jbig2], type: WASM },
  'openjpeg.wasm': { files: [openjpeg], type: WASM },
  'qcms_bg.wasm': { files: [qcms], type: WASM },
} as const;
