import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { View } from '../view.ts';
import { ImageStage } from './image-stage.tsx';
import { OtherStage } from './other-stage.tsx';
import { PagesStage } from './pages-stage.tsx';
import { PdfStage } from './pdf-stage.tsx';
import { PlayerStage } from './player-stage.tsx';
import type { Stage } from './stage.ts';
import { TextStage } from './text-stage.tsx';

interface Props {
  readonly view: View;
  readonly stage: Stage;
}

/** The stage of a page: the item itself, complete without script, in the viewer that fits. */
export function Viewer({ view, stage }: Props) {
  const { root, label, language } = view;
  const props = { root, label, lang: langWithin(PAGE_LANGUAGE, language) };
  switch (stage.kind) {
    case 'image':
      return <ImageStage stage={stage} {...props} />;
    case 'pages':
      return <PagesStage stage={stage} {...props} />;
    case 'audio':
    case 'video':
      return <PlayerStage stage={stage} {...props} />;
    case 'pdf':
      return <PdfStage stage={stage} {...props} />;
    case 'text':
      return <TextStage stage={stage} {...props} />;
    case 'other':
      return <OtherStage stage={stage} {...props} />;
    default:
      return stage satisfies never;
  }
}
