// InJplag LANGUAGE CHANGED KNOWN RESULT: every match of the pairs that JPlag's report shows, as JSON.
// Each file of the two folders is a submission, those of KNOWN old ones, as with the command's --new and --old.

import de.jplag.JPlag;
import de.jplag.JPlagComparison;
import de.jplag.JPlagResult;
import de.jplag.Language;
import de.jplag.Match;
import de.jplag.Submission;
import de.jplag.options.JPlagOptions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

class InJplag {
    public static void main(String[] given) throws Exception {
        Language language = (Language) Class.forName(given[0]).getDeclaredConstructor().newInstance();
        JPlagOptions options = new JPlagOptions(language, Set.of(new File(given[1])), Set.of(new File(given[2])));
        JPlagResult result = new JPlag(options).run();
        List<String> rows = new ArrayList<>();
        for (JPlagComparison pair : result.getComparisons(options.maximumNumberOfComparisons())) {
            rows.addAll(matches(pair));
        }
        System.err.println(result.getSubmissions().getInvalidSubmissions().size() + " files could not be read");
        Files.writeString(Path.of(given[3]), "[" + String.join(",", rows) + "]");
    }

    /** The matches of a pair of a changed and a known file. */
    static List<String> matches(JPlagComparison pair) {
        boolean first = pair.firstSubmission().isNew();
        Submission ours = first ? pair.firstSubmission() : pair.secondSubmission();
        Submission theirs = first ? pair.secondSubmission() : pair.firstSubmission();
        List<String> rows = new ArrayList<>();
        if (!ours.isNew() || theirs.isNew()) {
            return rows;
        }
        for (Match match : pair.matches()) {
            int start = first ? match.startOfFirst() : match.startOfSecond();
            int from = ours.getTokenList().get(start).getLine();
            int to = ours.getTokenList().get(start + match.length() - 1).getLine();
            rows.add("[\"" + name(ours) + "\"," + from + "," + to + ",\"" + name(theirs) + "\"]");
        }
        return rows;
    }

    static String name(Submission one) {
        return one.getRoot().getName();
    }
}
