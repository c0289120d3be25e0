/**
 * The token of an `Authorization: Bearer …` value (RFC 6750 section 2.1; the scheme in any case),
 * or undefined if the value is missing or of another form. What stands there is not judged yet.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.match(/^bearer +(\S.*)$/i)?.[1]?.trimEnd();
}
