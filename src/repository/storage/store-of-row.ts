/** In SQL, the name of the scheme in whose storage a row of `file` says that its bytes are (`storeOf`). */
export const STORE_OF_ROW = "coalesce(file.stored_in, substr(file.uri, 1, instr(file.uri, '://') - 1))";
