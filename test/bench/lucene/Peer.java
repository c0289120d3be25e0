import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsConfig;
import org.apache.lucene.facet.sortedset.DefaultSortedSetDocValuesReaderState;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetCounts;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MultiCollector;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene on the table of search-table.ts, in one thread: the 25 best by BM25 with their titles, the total and three facets.
 * Prints the processor time and the 99th percentile of a query as JSON, of the best of several rounds.
 */
final class Peer {
  private static final int SIZE = 25;
  private static final int ROUNDS = 6;
  private static final int WARM_ROUNDS = 3;
  private static final List<String> FACETS = List.of("subject", "decade", "model");

  private static IndexSearcher searcher;
  private static DefaultSortedSetDocValuesReaderState state;
  private static final FacetsConfig CONFIG = new FacetsConfig();

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    CONFIG.setMultiValued("subject", true);
    Path index = folder.resolve("lucene");
    if (!Files.exists(index)) build(folder.resolve("items.tsv"), index);
    var directory = new MMapDirectory(index);
    var reader = DirectoryReader.open(directory);
    searcher = new IndexSearcher(reader);
    state = new DefaultSortedSetDocValuesReaderState(reader, CONFIG);
    List<String> queries = Files.readAllLines(folder.resolve("queries.txt"));
    var threads = ManagementFactory.getThreadMXBean();
    double least = Double.MAX_VALUE;
    double p99 = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      double[] times = new double[queries.size()];
      long began = threads.getCurrentThreadCpuTime();
      for (int at = 0; at < times.length; at++) {
        long start = System.nanoTime();
        search(queries.get(at));
        times[at] = (System.nanoTime() - start) / 1e6;
      }
      double cpu = (threads.getCurrentThreadCpuTime() - began) / 1e6 / times.length;
      if (round < WARM_ROUNDS) continue;
      least = Math.min(least, cpu);
      Arrays.sort(times);
      p99 = Math.min(p99, times[times.length * 99 / 100]);
    }
    long bytes = 0;
    for (String file : directory.listAll()) bytes += directory.fileLength(file);
    System.out.printf("{\"cpuMs\": %.4f, \"p99Ms\": %.3f, \"bytesOfItem\": %.0f}%n", least, p99,
        (double) bytes / reader.numDocs());
  }

  private static void build(Path table, Path index) throws Exception {
    try (var writer = new IndexWriter(new MMapDirectory(index), new IndexWriterConfig(new StandardAnalyzer()));
        var lines = Files.lines(table)) {
      for (String line : (Iterable<String>) lines::iterator) {
        String[] cells = line.split("\t");
        var document = new Document();
        document.add(new StoredField("title", cells[0]));
        document.add(new StoredField("description", cells[1]));
        document.add(new TextField("all", String.join("\n", cells), Field.Store.NO));
        for (String subject : Arrays.stream(cells[2].split("\\|")).distinct().toList())
          document.add(new SortedSetDocValuesFacetField("subject", subject));
        document.add(new SortedSetDocValuesFacetField("decade", cells[3].substring(0, 3) + "0"));
        document.add(new SortedSetDocValuesFacetField("model", cells[4]));
        writer.addDocument(CONFIG.build(document));
      }
      writer.forceMerge(1);
    }
  }

  private static String search(String text) throws Exception {
    var words = new BooleanQuery.Builder();
    for (String word : text.split(" ")) words.add(new TermQuery(new Term("all", word)), BooleanClause.Occur.MUST);
    Query query = words.build();
    var best = TopScoreDocCollector.create(SIZE, Integer.MAX_VALUE);
    var matching = new FacetsCollector();
    searcher.search(query, MultiCollector.wrap(best, matching));
    var shown = new StringJoiner("\n");
    var top = best.topDocs();
    shown.add(String.valueOf(top.totalHits.value));
    var stored = searcher.storedFields();
    for (var hit : top.scoreDocs) shown.add(stored.document(hit.doc).get("title"));
    if (top.totalHits.value == 0) return shown.toString();
    var counts = new SortedSetDocValuesFacetCounts(state, matching);
    for (String facet : FACETS) shown.add(String.valueOf(counts.getTopChildren(50, facet)));
    return shown.toString();
  }
}
