import { type AssetName, assetPath } from '../assets/assets.ts';
import { PDF_FILES } from '../assets/pdf-files.ts';
import { Download, type StageProps, StillPicture } from './stage-parts.tsx';
import { ToolButton } from './tool-button.tsx';

/** A PDF: its first page, which a script replaces by a viewer of all. */
export function PdfStage({ stage: { file, picture }, label, root, lang }: StageProps<'pdf'>) {
  const address = (name: AssetName) => root + assetPath(name);
  const names = Object.keys(PDF_FILES) as (keyof typeof PDF_FILES)[];
  const addresses = {
    core: address('pdf.js'),
    components: address('pdf-components.js'),
    worker: address('pdf-worker.js'),
    data: {
      cmaps: address('pdf-character-maps.bin'),
      ...Object.fromEntries(names.map((name) => [name, address(name)])),
    },
  };
  return (
    <section
      class="viewer viewer-pdf"
      aria-label="Document"
      data-file={root + file.path}
      data-addresses={JSON.stringify(addresses)}
      {...lang}
    >
      <div class="viewer-still">
        {picture && <StillPicture picture={picture} text={label} root={root} />}
        <Download file={file} root={root} />
      </div>
      <div class="viewer-bar" hidden>
        <fieldset aria-label="Pages">
          <ToolButton act="previous" label="Previous page" />
          <label>
            <span class="unseen">Page</span>
            <input class="viewer-page" type="number" min="1" value="1" autocomplete="off" />
          </label>
          <span>
            of <span class="viewer-count">1</span>
          </span>
          <ToolButton act="next" label="Next page" />
        </fieldset>
        <fieldset aria-label="Size">
          <ToolButton act="out" label="Zoom out" />
          <ToolButton act="in" label="Zoom in" />
          <ToolButton act="fit" label="Fit the page or its width" />
          <ToolButton act="full" label="Full screen" />
        </fieldset>
        <search aria-label="Search in the document">
          <form>
            <input type="search" aria-label="Search in the document" placeholder="Search" autocomplete="off" />
            <ToolButton act="previous" label="Previous match" type="submit" value="previous" />
            <ToolButton act="next" label="Next match" type="submit" value="next" />
            <output class="viewer-found" />
          </form>
        </search>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: pdf.js requires a div. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard. */}
      <div class="viewer-scroll" tabIndex={0} role="region" aria-label="Pages of the document" hidden>
        <div class="pdfViewer" />
      </div>
    </section>
  );
}
