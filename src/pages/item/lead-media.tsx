import { filePath } from '../../paths.ts';
import type { FileSize } from '../../repository/content/find-attached-files.ts';
import { FileViewer } from '../file-viewer.tsx';
import type { Lead } from '../node-media.ts';
import type { View } from '../view.ts';

interface Props {
  readonly view: View;
  readonly lead: Lead;
  /** The size of the file, if it is known. */
  readonly size: FileSize | undefined;
}

/** The media at the top of a node's page. */
export function LeadMedia({ view, lead, size }: Props) {
  const { root, label } = view;
  return (
    <figure class="viewer">
      <FileViewer
        showing={lead.showing}
        src={root + filePath(lead.file.uri)}
        text={label}
        width={size?.width ?? undefined}
        height={size?.height ?? undefined}
        root={root}
      />
    </figure>
  );
}
