import { type TObject, Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { PAGE_TYPE, READ_CONDITIONS, versioned } from './answers.ts';
import { entityId } from './scalars.ts';

/** Describes a page that shows how to do something; `name` is the name of its operation. */
export function describeAction(name: string, summary: string, params?: TObject, query?: TObject): RouteDescription {
  return {
    operationId: `get${name}Page`,
    tag: 'pages',
    summary,
    isForAnyone: false,
    ...(params && { params }),
    ...(query && { query }),
    headers: READ_CONDITIONS,
    responses: versioned('The request or command that does it.', { [PAGE_TYPE]: t.String() }, [
      'Content-Security-Policy',
    ]),
    failures: [403, 404, 412],
  };
}

/** The parameter that names an entity of a type. */
export function idOf(type: string): TObject {
  return t.Object({ [type]: entityId(`The id of the ${type.replace('_', ' ')}.`) });
}

/** The parameter that names a bundle. */
export function bundleOf(parameter: string): TObject {
  return t.Object({
    [parameter]: t.String({ description: `The machine name of the ${parameter.replace('_', ' ')}.` }),
  });
}
