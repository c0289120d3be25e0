import type { AssetName } from '../assets/assets.ts';
import type { PolicyNeeds } from '../security-policy.ts';
import { isWords } from './player-stage.tsx';
import type { Stage } from './stage.ts';

/** The assets and needs of a page with a stage, for `Layout` and `htmlPage`. */
interface ViewerAssets {
  readonly styles: readonly AssetName[];
  readonly modules: readonly AssetName[];
  readonly needs: PolicyNeeds;
}

const NONE: ViewerAssets = { styles: [], modules: [], needs: {} };

/** Returns the style sheets and modules of a stage. A module loads its viewer when it runs. */
export function viewerAssets(stage: Stage | undefined): ViewerAssets {
  switch (stage?.kind) {
    case undefined:
      return NONE;
    case 'image':
      return { ...NONE, styles: ['viewer.css'], modules: ['image-viewer.js'] };
    case 'pages':
      return {
        styles: ['viewer.css'],
        modules: ['pages-viewer.js'],
        needs: { hasStyleNonce: true, hasGeneratedImages: true },
      };
    case 'audio':
    case 'video': {
      const { kind: player, tracks } = stage;
      const hasScript = tracks.some((track) => track.kind === 'chapters' || (player === 'audio' && isWords(track)));
      return { ...NONE, styles: ['viewer.css'], modules: hasScript ? ['player.js'] : [] };
    }
    case 'pdf':
      return {
        styles: ['viewer.css', 'pdf-viewer.css'],
        modules: ['pdf-viewer.js'],
        needs: { hasWorkers: true, hasGeneratedImages: true },
      };
    case 'text':
    case 'other':
      return { ...NONE, styles: ['viewer.css'] };
    default:
      return stage satisfies never;
  }
}
