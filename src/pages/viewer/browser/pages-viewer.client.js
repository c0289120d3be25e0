/** Opens the manifest of a stage in Mirador. The list of pages stays until Mirador has rendered. */

/**
 * @typedef {object} Wanted
 * @property {string | undefined} query the words to search for
 * @property {string | undefined} resultPage the page of their result that has the places on the shown page
 * @property {string | undefined} at the id of the page that is shown first
 */

const DARK = '#14161a';
const RAISED = '#23262c';
const ACCENT = '#7cc4e0';

for (const stage of document.querySelectorAll('.viewer-pages')) {
  if (!(stage instanceof HTMLElement)) continue;
  const { library, manifest, query, resultPage, at } = stage.dataset;
  if (library && manifest) await open(stage, library, new URL(manifest, location.href).href, { query, resultPage, at });
}

/**
 * @param {HTMLElement} stage
 * @param {string} address the address of Mirador
 * @param {string} manifestId
 * @param {Wanted} wanted
 */
async function open(stage, address, manifestId, wanted) {
  const response = await fetch(manifestId);
  // Pages without pictures have no manifest: their list stays.
  if (!response.ok) return;
  giveNonces();
  const [manifest, { viewer }] = await Promise.all([response.json(), import(address)]);
  const host = document.createElement('div');
  host.className = 'viewer-host';
  host.id = 'mirador';
  stage.append(host);
  takeInto(host);
  const { store } = viewer(configurationOf(host.id, manifestId, manifest, wanted));
  if (wanted.query !== undefined) search(store, manifest, wanted.query, wanted.resultPage);
  stage.dataset.state = 'open';
  letThePageScroll(stage);
}

/**
 * Searches as a reader does in the search panel, with the same address: Mirador's own option does not encode the query.
 *
 * @param {{ getState: () => any, dispatch: (action: object) => void }} store
 * @param {any} manifest
 * @param {string} query
 * @param {string | undefined} page
 */
function search(store, manifest, query, page) {
  const service = manifest.service?.find((/** @type {any} */ each) => each['@type'] === 'SearchService1');
  const { windows, companionWindows } = store.getState();
  const [window] = Object.values(windows);
  const companionWindowId = window?.companionWindowIds.find(
    (/** @type {string} */ id) => companionWindows[id].content === 'search',
  );
  if (service === undefined || companionWindowId === undefined) return;
  const searchId = `${service['@id']}?${new URLSearchParams({ q: query, ...(page && { page }) })}`;
  const { id: windowId } = window;
  store.dispatch({ type: 'mirador/REQUEST_SEARCH', companionWindowId, query, searchId, windowId });
}

/**
 * The wheel scrolls the page until the reader turns to the stage, by a click or by keyboard.
 * @param {HTMLElement} stage
 */
function letThePageScroll(stage) {
  /** @param {WheelEvent} event */
  const keepFromMirador = (event) => {
    const isTurnedTo = stage.contains(document.activeElement) || document.fullscreenElement !== null;
    if (!event.ctrlKey && !event.metaKey && !isTurnedTo) event.stopPropagation();
  };
  stage.addEventListener('wheel', keepFromMirador, { capture: true, passive: true });
}

/**
 * @param {string} id
 * @param {string} manifestId
 * @param {any} manifest
 * @param {Wanted} wanted
 */
function configurationOf(id, manifestId, manifest, { query, at }) {
  const isSearch = query !== undefined;
  const canvasId = at && manifest.items?.find((/** @type {any} */ each) => each.id.includes(`/node/${at}/canvas/`))?.id;
  const panels = { info: true, attribution: false, canvas: true, annotations: true, search: true, layers: false };
  const isNarrow = innerWidth < 640;
  return {
    id,
    selectedTheme: 'dark',
    themes: {
      dark: {
        palette: {
          mode: 'dark',
          primary: { main: ACCENT },
          secondary: { main: ACCENT },
          background: { default: DARK, paper: RAISED },
          shades: { dark: DARK, main: RAISED, light: RAISED },
        },
        typography: { fontFamily: 'inherit' },
      },
    },
    windows: [
      {
        manifestId,
        manifest,
        ...(canvasId && { canvasId }),
        thumbnailNavigationPosition: isNarrow ? 'off' : 'far-bottom',
      },
    ],
    window: {
      allowClose: false,
      allowMaximize: false,
      allowFullscreen: true,
      hideWindowTitle: true,
      sideBarPanel: isSearch ? 'search' : 'canvas',
      sideBarOpen: isSearch && !isNarrow,
      // The page that was asked for stays, and has its words marked.
      switchCanvasOnSearch: !canvasId,
      panels,
    },
    thumbnailNavigation: { height: 110, showThumbnailLabels: false },
    workspace: { allowNewWindows: false, draggingEnabled: false, showZoomControls: true, type: 'mosaic' },
    workspaceControlPanel: { enabled: false },
    osdConfig: { drawer: 'canvas', ...(isCalm() && { animationTime: 0, blendTime: 0 }) },
  };
}

/**
 * Mirador takes itself for the whole page: makes its main landmark and heading parts of ours.
 *
 * @param {HTMLElement} host
 */
function takeInto(host) {
  new MutationObserver((_, observer) => {
    const main = host.querySelector('main');
    if (main === null) return;
    main.setAttribute('role', 'presentation');
    for (const heading of main.querySelectorAll('h1')) heading.ariaLevel = '2';
    observer.disconnect();
  }).observe(host, { childList: true, subtree: true });
}

function isCalm() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Gives the nonce of the page to all style elements that are created from now on: Mirador has no option for it. */
function giveNonces() {
  const holder = document.querySelector('meta[name="style-nonce"]');
  const nonce = holder instanceof HTMLElement ? holder.nonce : undefined;
  if (!nonce) return;
  const create = document.createElement.bind(document);
  document.createElement = (/** @type {string} */ name, /** @type {ElementCreationOptions} */ options) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
