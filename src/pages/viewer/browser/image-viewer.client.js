/** Opens the picture of a stage in OpenSeadragon. The picture itself stays until the first tile is drawn. */

/** Zoom of one step of a button. */
const STEP = 1.5;
const QUARTER_TURN_DEGREES = 90;

/**
 * @typedef {import('openseadragon').Viewer} Viewer
 * @typedef {typeof import('openseadragon')} OpenSeadragon
 */

for (const stage of document.querySelectorAll('.viewer-image')) {
  if (stage instanceof HTMLElement && stage.dataset.library) await open(stage, stage.dataset.library);
}

/**
 * Opens a stage. `data-service` is the address of an image service, which takes precedence over the picture.
 * @param {HTMLElement} stage
 * @param {string} address the address of OpenSeadragon
 */
async function open(stage, address) {
  keepStyleAway();
  await loadScript(address);
  /** @type {OpenSeadragon} */
  const library = Reflect.get(globalThis, 'OpenSeadragon');
  const host = document.createElement('div');
  host.className = 'viewer-host';
  stage.prepend(host);
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const viewer = library({
    element: host,
    drawer: 'canvas',
    showNavigationControl: false,
    animationTime: isCalm ? 0 : 0.8,
    blendTime: isCalm ? 0 : 0.1,
    immediateRender: isCalm,
    maxZoomPixelRatio: 4,
    minZoomImageRatio: 0.8,
    visibilityRatio: 0.5,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
    gestureSettingsTouch: { clickToZoom: false, dblClickToZoom: true, pinchRotate: false, dragToPan: false },
  });
  const sources = sourcesOf(stage);
  viewer.addHandler('open-failed', () => {
    const next = sources.shift();
    if (next !== undefined) viewer.open(next);
    else {
      viewer.destroy();
      host.remove();
    }
  });
  viewer.addHandler('open', () => {
    keepSmall(viewer, stage);
    control(viewer, stage);
  });
  viewer.addOnceHandler('tile-drawn', () => {
    stage.dataset.state = 'open';
  });
  letThePageScroll(viewer, stage);
  describe(viewer, stage);
  const first = sources.shift();
  if (first !== undefined) viewer.open(first);
}

/** OpenSeadragon adds a style element unless there is one, which the policy of the page rejects. This one has no effect. */
function keepStyleAway() {
  const inert = document.createElementNS(null, 'style');
  inert.setAttribute('data-openseadragon-mobile-css', '');
  document.head.append(inert);
}

/**
 * @param {HTMLElement} stage
 * @returns {import('openseadragon').TileSourceSpecifier[]}
 */
function sourcesOf(stage) {
  const still = stage.querySelector('img');
  const picture = still ? [{ tileSource: { type: 'image', url: still.src } }] : [];
  return stage.dataset.service ? [{ tileSource: stage.dataset.service }, ...picture] : picture;
}

/**
 * A picture that is smaller than the stage begins in its own size.
 * @param {Viewer} viewer
 * @param {HTMLElement} stage
 */
function keepSmall(viewer, stage) {
  const item = viewer.world.getItemAt(0);
  const { x: width, y: height } = item.getContentSize();
  if (width >= stage.clientWidth || height >= stage.clientHeight) return;
  Reflect.set(viewer.viewport, 'defaultZoomLevel', width / stage.clientWidth);
  viewer.viewport.goHome(true);
}

/**
 * @param {Viewer} viewer
 * @param {HTMLElement} stage
 */
function control(viewer, stage) {
  const tools = stage.querySelector('.viewer-tools');
  if (!(tools instanceof HTMLElement) || !tools.hidden) return;
  const { viewport } = viewer;
  /** @type {Record<string, () => unknown>} */
  const acts = {
    in: () => viewport.zoomBy(STEP).applyConstraints(),
    out: () => viewport.zoomBy(1 / STEP).applyConstraints(),
    whole: () => viewport.setRotation(0).goHome(),
    rotate: () => viewport.setRotation(viewport.getRotation(true) + QUARTER_TURN_DEGREES),
    full: () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen()),
  };
  for (const button of tools.querySelectorAll('button')) {
    const act = button.dataset.act ?? '';
    if (act === 'full' && !document.fullscreenEnabled) button.hidden = true;
    button.addEventListener('click', () => acts[act]?.());
  }
  tools.hidden = false;
}

/**
 * The wheel and one finger scroll the page, until the reader turns to the picture: with focus in it, or a zoomed picture
 * under the finger.
 * @param {Viewer} viewer
 * @param {HTMLElement} stage
 */
function letThePageScroll(viewer, stage) {
  viewer.addHandler('canvas-scroll', (event) => {
    const { ctrlKey, metaKey } = /** @type {WheelEvent} */ (event.originalEvent);
    const isTurnedTo = stage.contains(document.activeElement) || document.fullscreenElement === stage;
    if (ctrlKey || metaKey || isTurnedTo) return;
    event.preventDefaultAction = true;
    event.preventDefault = false;
  });
  const update = () => {
    const isZoomed = viewer.viewport.getZoom() > viewer.viewport.getHomeZoom() * 1.01;
    const isFree = isZoomed || document.fullscreenElement === stage;
    const touch = viewer.gestureSettingsByDeviceType('touch');
    touch.dragToPan = isFree;
    viewer.canvas.style.touchAction = isFree ? 'none' : 'pan-y';
  };
  viewer.addHandler('open', update);
  viewer.addHandler('zoom', update);
  stage.addEventListener('fullscreenchange', update);
}

/**
 * @param {Viewer} viewer
 * @param {HTMLElement} stage
 */
function describe(viewer, stage) {
  const { canvas } = viewer;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-roledescription', 'zoomable picture');
  canvas.setAttribute('aria-label', stage.dataset.label || 'Picture');
  canvas.title = 'Plus and minus zoom, arrow keys move, R rotates, 0 shows the whole picture';
}

/**
 * @param {string} address
 * @returns {Promise<void>}
 */
function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`Cannot load ${address}`));
    document.head.append(script);
  });
}
