import type { StatusGroup } from '../../web/status-report.ts';
import { fine, look } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';
import type { ToolVersions } from './tool-versions.ts';

/** Returns the programs that the processor of this process calls, with their versions as far as they are read. */
export function toolsGroup({ programs }: StatusParts, versions: ToolVersions): StatusGroup | undefined {
  if (programs === undefined) return undefined;
  const called = programs();
  // The request does not wait: the next one shows what was read.
  void versions.read(called);
  return {
    title: 'Programs of the processor',
    lines: called.map(({ name, path, packages }) => {
      if (path === undefined)
        return look(name, 'not installed', packages === undefined ? 'Install it.' : `Install it (${packages}).`);
      const version = versions.get(path);
      if (version === undefined) return fine(name, 'installed; its version is being read');
      return fine(name, version === 'unknown' ? 'installed' : version);
    }),
  };
}
