import mirador from '../../../node_modules/.browser/mirador.client.js' with { type: 'file' };
import characterMaps from '../../../node_modules/.browser/pdf-character-maps.bin' with { type: 'file' };
import pdfComponents from '../../../node_modules/.browser/pdf-components.client.js' with { type: 'file' };
import openseadragon from '../../../node_modules/openseadragon/build/openseadragon/openseadragon.min.js' with {
  type: 'file',
};
import pdf from '../../../node_modules/pdfjs-dist/legacy/build/pdf.min.mjs' with { type: 'file' };
import pdfWorker from '../../../node_modules/pdfjs-dist/legacy/build/pdf.worker.min.mjs' with { type: 'file' };
import imageViewer from '../viewer/browser/image-viewer.client.js' with { type: 'file' };
import pagesViewer from '../viewer/browser/pages-viewer.client.js' with { type: 'file' };
import pdfViewer from '../viewer/browser/pdf-viewer.client.js' with { type: 'file' };
import player from '../viewer/browser/player.client.js' with { type: 'file' };
import pdfStyle from '../viewer/pdf-viewer.css' with { type: 'file' };
import playerStyle from '../viewer/player.css' with { type: 'file' };
import viewerStyle from '../viewer/viewer.css' with { type: 'file' };

const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const BYTES = 'application/octet-stream';

/** The files of the viewers. `bun install` prepares those in `.browser` (src/build/bundle-browser.ts). */
export const VIEWER_FILES = {
  'viewer.css': { files: [viewerStyle, playerStyle], type: STYLE },
  'image-viewer.js': { files: [imageViewer], type: SCRIPT },
  'openseadragon.js': { files: [openseadragon], type: SCRIPT },
  'pages-viewer.js': { files: [pagesViewer], type: SCRIPT },
  'mirador.js': { files: [mirador], type: SCRIPT },
  'player.js': { files: [player], type: SCRIPT },
  'pdf-viewer.css': { files: [pdfStyle], type: STYLE },
  'pdf-viewer.js': { files: [pdfViewer], type: SCRIPT },
  'pdf.js': { files: [pdf], type: SCRIPT },
  'pdf-components.js': { files: [pdfComponents], type: SCRIPT },
  'pdf-worker.js': { files: [pdfWorker], type: SCRIPT },
  'pdf-character-maps.bin': { files: [characterMaps], type: BYTES },
} as const;
