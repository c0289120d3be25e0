import { paths } from '../../paths.ts';

interface Props {
  readonly root: string;
  /** The pages between that of the administration and the shown one. */
  readonly within?: readonly { readonly path: string; readonly label: string }[];
  /** The name of the shown page, at the end. */
  readonly current?: string;
}

/** The breadcrumbs of a page of the administration. */
export function AdminCrumbs({ root, within = [], current }: Props) {
  return (
    <nav aria-label="Breadcrumbs">
      <ol class="way">
        {[{ path: paths.admin, label: 'Manage' }, ...within].map(({ path, label }) => (
          <li key={path}>
            <a href={root + path}>{label}</a>
          </li>
        ))}
        {current !== undefined && <li aria-current="page">{current}</li>}
      </ol>
    </nav>
  );
}
