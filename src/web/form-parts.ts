import { isSameToken } from '../auth/session-token.ts';
import { ServiceError } from '../base/errors.ts';
import { isFromOtherSite } from '../http/form-body.ts';
import { type FormPart, isFile, readMultipart } from '../http/read-multipart.ts';
import type { Call } from './call.ts';
import { FORM_TOKEN } from './form-names.ts';

/**
 * Reads the fields and files of a form in their order (`form: 'files'`). Its first field must be the form token of the session:
 * nothing else is read before. Throws 403 without it, and as `readMultipart`.
 */
export async function* formParts(call: Call): AsyncGenerator<FormPart> {
  if (isFromOtherSite(call.request))
    throw new ServiceError('forbidden', 'Forms of other sites are not accepted. Open the page of this site.');
  let isSigned = false;
  for await (const part of readMultipart(call.request)) {
    if (isSigned) yield part;
    else if (isFile(part) || part.name !== FORM_TOKEN || !isSameToken(part.value, call.formToken))
      throw new ServiceError('forbidden', 'The form belongs to another session. Open its page again.');
    else isSigned = true;
  }
}
