import readableTitle from '../../../node_modules/.browser/readable-title.client.js' with { type: 'file' };
import tus from '../../../node_modules/.browser/tus.client.js' with { type: 'file' };
import derivatives from '../upload/browser/derivatives.client.js' with { type: 'file' };
import upload from '../upload/browser/upload.client.js' with { type: 'file' };
import uploadBook from '../upload/browser/upload-book.client.js' with { type: 'file' };
import uploadRows from '../upload/browser/upload-rows.client.js' with { type: 'file' };
import uploadServer from '../upload/browser/upload-server.client.js' with { type: 'file' };
import uploadTasks from '../upload/browser/upload-tasks.client.js' with { type: 'file' };
import uploadStyle from '../upload/upload.css' with { type: 'file' };

const SCRIPT = 'text/javascript; charset=utf-8';

/** The files of the upload page. `bun install` prepares tus-js-client and the function of titles (src/build/bundle-browser.ts). */
export const UPLOAD_FILES = {
  'upload.css': { files: [uploadStyle], type: 'text/css; charset=utf-8' },
  'upload.js': { files: [upload], type: SCRIPT },
  'upload-rows.js': { files: [uploadRows], type: SCRIPT },
  'upload-server.js': { files: [uploadServer], type: SCRIPT },
  'upload-tasks.js': { files: [uploadTasks], type: SCRIPT },
  'readable-title.js': { files: [readableTitle], type: SCRIPT },
  'upload-book.js': { files: [uploadBook], type: SCRIPT },
  'derivatives.js': { files: [derivatives], type: SCRIPT },
  'tus.js': { files: [tus], type: SCRIPT },
} as const;
