// Reads every row of every table of the published file given as argument. Prints, as JSON, by table: how many rows there
// are, and each column's type.
import { DuckDBInstance } from "@duckdb/node-api";

const instance = await DuckDBInstance.create(process.argv[2], { access_mode: "READ_ONLY" });
const connection = await instance.connect();
const names = await connection.runAndReadAll("select table_name from duckdb_tables() where not internal");
const tables = {};
for (const [name] of names.getRows()) {
  const result = await connection.stream(`from "${name}"`);
  const columns = result.columnNames().map((column, at) => [column, `${result.columnType(at)}`]);
  let rows = 0;
  for await (const chunk of result.yieldRowsJs()) rows += chunk.length;
  tables[name] = { rows, columns: Object.fromEntries(columns) };
}
console.log(JSON.stringify(tables));
