/** Opens the PDF of a stage in pdf.js. The picture of the first page stays until the document has been opened. */

/** Bytes of the smallest range request. A flat tree of pages is read page by page up to the wanted one: small ranges keep that short. */
const CHUNK_BYTES = 64 * 1024;
/** Maximum number of pixels of a rendered page: phones have no memory for more. */
const MAX_CANVAS_PIXELS = 16_777_216;

/**
 * @typedef {typeof import('pdfjs-dist')} Core
 * @typedef {typeof import('pdfjs-dist/web/pdf_viewer.mjs')} Components
 * @typedef {import('pdfjs-dist/web/pdf_viewer.mjs').PDFViewer} Viewer
 * @typedef {import('pdfjs-dist/web/pdf_viewer.mjs').EventBus} EventBus
 * @typedef {{ core: string, components: string, worker: string, data: Record<string, string> }} Addresses
 */

for (const stage of document.querySelectorAll('.viewer-pdf')) {
  if (stage instanceof HTMLElement && stage.dataset.addresses && stage.dataset.file)
    await open(stage, stage.dataset.file, JSON.parse(stage.dataset.addresses));
}

/**
 * @param {HTMLElement} stage
 * @param {string} url
 * @param {Addresses} addresses
 */
async function open(stage, url, addresses) {
  /** @type {Core} */
  const core = await import(addresses.core);
  /** @type {Components} */
  const components = await import(addresses.components);
  core.GlobalWorkerOptions.workerSrc = addresses.worker;
  const container = stage.querySelector('.viewer-scroll');
  if (!(container instanceof HTMLElement)) return;
  const pdf = await core.getDocument({
    url,
    rangeChunkSize: CHUNK_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    useSystemFonts: true,
    useWorkerFetch: false,
    BinaryDataFactory: createDataFactory(addresses.data),
    // pdf.js requires addresses; the factory has its own.
    ...{ cMapUrl: '/', standardFontDataUrl: '/', wasmUrl: '/' },
  }).promise;
  stage.dataset.state = 'open';
  container.hidden = false;
  const { EventBus, PDFFindController, PDFLinkService, PDFViewer } = components;
  const eventBus = new EventBus();
  const linkService = new PDFLinkService({ eventBus, externalLinkTarget: 0 });
  const findController = new PDFFindController({ eventBus, linkService });
  const viewer = new PDFViewer({
    container: /** @type {HTMLDivElement} */ (container),
    eventBus,
    linkService,
    findController,
    annotationMode: core.AnnotationMode.ENABLE,
    maxCanvasPixels: MAX_CANVAS_PIXELS,
    removePageBorders: true,
  });
  linkService.setViewer(viewer);
  eventBus.on('pagesinit', () => {
    viewer.currentScaleValue = stage.clientWidth < 640 ? 'page-width' : 'auto';
  });
  controlPages(stage, viewer, eventBus);
  controlZoom(stage, viewer, container);
  controlSearch(stage, eventBus);
  viewer.setDocument(pdf);
  linkService.setDocument(pdf, null);
  const bar = stage.querySelector('.viewer-bar');
  if (bar instanceof HTMLElement) bar.hidden = false;
}

/**
 * Creates the class with which pdf.js reads its fonts, decoders and character maps.
 * @param {Record<string, string>} addresses by file name; `cmaps` has all character maps
 */
function createDataFactory(addresses) {
  /** @type {Promise<Map<string, Uint8Array>> | undefined} */
  let maps;
  return class {
    /** @param {{ kind: string, filename: string }} wanted */
    async fetch({ kind, filename }) {
      if (kind === 'cMapUrl') {
        maps ??= bytesAt(addresses.cmaps).then(unpack);
        const map = (await maps).get(filename);
        if (map === undefined) throw new Error(`Unknown character map ${filename}`);
        return map;
      }
      return bytesAt(addresses[filename]);
    }
  };
}

/** @param {string | undefined} address */
async function bytesAt(address) {
  if (address === undefined) throw new Error('The viewer has no such file.');
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * Returns the files of a pack: the length of an index, the index as JSON with names and lengths, and the files.
 * @param {Uint8Array} pack
 */
function unpack(pack) {
  const length = new DataView(pack.buffer).getUint32(0);
  let at = 4 + length;
  /** @type {[name: string, bytes: number][]} */
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(4, at)));
  return new Map(
    index.map(([name, bytes]) => {
      at += bytes;
      return [name, pack.slice(at - bytes, at)];
    }),
  );
}

/**
 * @param {HTMLElement} stage
 * @param {Viewer} viewer
 * @param {EventBus} eventBus
 */
function controlPages(stage, viewer, eventBus) {
  const field = stage.querySelector('.viewer-page');
  const count = stage.querySelector('.viewer-count');
  const [previous, next] = ['previous', 'next'].map((act) => buttonOf(stage, act));
  if (!(field instanceof HTMLInputElement) || count === null || !previous || !next) return;
  const show = () => {
    field.value = String(viewer.currentPageNumber);
    previous.disabled = viewer.currentPageNumber <= 1;
    next.disabled = viewer.currentPageNumber >= viewer.pagesCount;
  };
  eventBus.on('pagesinit', () => {
    field.max = String(viewer.pagesCount);
    count.textContent = String(viewer.pagesCount);
    show();
  });
  eventBus.on('pagechanging', show);
  field.addEventListener('change', () => {
    const page = Math.trunc(field.valueAsNumber);
    if (page >= 1 && page <= viewer.pagesCount) viewer.currentPageNumber = page;
    show();
  });
  previous.addEventListener('click', () => viewer.previousPage());
  next.addEventListener('click', () => viewer.nextPage());
}

/**
 * @param {HTMLElement} stage
 * @param {Viewer} viewer
 * @param {HTMLElement} container
 */
function controlZoom(stage, viewer, container) {
  let fit = 'page-fit';
  const swap = () => {
    viewer.currentScaleValue = fit;
    fit = fit === 'page-fit' ? 'page-width' : 'page-fit';
  };
  buttonOf(stage, 'in')?.addEventListener('click', () => viewer.increaseScale());
  buttonOf(stage, 'out')?.addEventListener('click', () => viewer.decreaseScale());
  buttonOf(stage, 'fit')?.addEventListener('click', swap);
  const full = buttonOf(stage, 'full');
  if (full && !document.fullscreenEnabled) full.hidden = true;
  full?.addEventListener('click', () =>
    document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen(),
  );
  // A width that fits is kept when the stage changes its size.
  new ResizeObserver(() => {
    const { currentScaleValue } = viewer;
    if (viewer.pagesCount > 0 && Number.isNaN(Number(currentScaleValue))) viewer.currentScaleValue = currentScaleValue;
  }).observe(container);
}

/**
 * @param {HTMLElement} stage
 * @param {EventBus} eventBus
 */
function controlSearch(stage, eventBus) {
  const form = stage.querySelector('form');
  const field = form?.querySelector('input');
  const matches = stage.querySelector('.viewer-found');
  if (!form || !field || !matches) return;
  let query = '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const type = field.value === query ? 'again' : '';
    query = field.value;
    const findPrevious = event.submitter instanceof HTMLButtonElement && event.submitter.value === 'previous';
    eventBus.dispatch('find', { source: form, type, query, highlightAll: true, findPrevious });
  });
  /** @param {{ matchesCount: { current: number, total: number } }} event */
  const tell = ({ matchesCount: { current, total } }) => {
    matches.textContent = query === '' ? '' : total === 0 ? 'Not found' : `${current} of ${total}`;
  };
  eventBus.on('updatefindmatchescount', tell);
  eventBus.on('updatefindcontrolstate', tell);
}

/**
 * @param {HTMLElement} stage
 * @param {string} act
 * @returns {HTMLButtonElement | null}
 */
function buttonOf(stage, act) {
  return stage.querySelector(`button[data-act="${act}"]`);
}
