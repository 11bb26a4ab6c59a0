// Feeds, relations and tables of pairs through the C++ API: a part of vectors.cc, which has what it calls.

#ifndef VECTOR_FOLLOWERS_HPP
#define VECTOR_FOLLOWERS_HPP

namespace {

std::string named_text(const step &step, const char *name) {
    return str(named(&step, name));
}

void set_flag(outcome &outcome, bool flag) {
    outcome.flag = flag;
    outcome.has_flag = true;
}

void set_number(outcome &outcome, std::uint64_t number) {
    outcome.number = number;
    outcome.has_number = true;
}

const std::vector<const char *> contents = {"after", "keys", "before_and_after"};

entable::Feed feed_of(const step &step) {
    entable::Feed feed;
    const text content = named(&step, "feed_content");
    if (content.data) feed.content = static_cast<entable::FeedContent>(place_of(content, contents));
    feed.keep_for = std::chrono::milliseconds(named_number(&step, "feed_keep_for_ms"));
    feed.keep_changes = named_number(&step, "feed_keep_changes");
    feed.keep_until_consumed = named_text(step, "feed_keep_until_consumed") == "true";
    return feed;
}

/// The position of a step: of the feed as it is, one that was saved, or a text.
std::string position_of(const entable::Table &table, const step &step) {
    const text of_feed = named(&step, "position_of_feed"), name = named(&step, "saved_position");
    if (of_feed.data) {
        const entable::FeedInfo info = table.feed();
        return is(&of_feed, "begin") ? info.begin : info.end;
    }
    return str(name.data ? saved(&name) : named(&step, "position"));
}

void tell_feed(const entable::FeedInfo &info, outcome &outcome) {
    const auto tell = [&outcome](const char *name, std::optional<std::string> value) {
        add_fact(&outcome.feed, &outcome.feed_count, name, value ? copy(*value) : text{nullptr, 0});
    };
    const auto limit = [](std::uint64_t number) {
        return number ? std::optional(std::to_string(number)) : std::nullopt;
    };
    const entable::Feed &settings = info.settings;
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(settings.keep_for);
    tell("content", contents.at(static_cast<std::size_t>(settings.content)));
    tell("keep_for_ms", limit(static_cast<std::uint64_t>(age.count())));
    tell("keep_changes", limit(settings.keep_changes));
    tell("keep_until_consumed", settings.keep_until_consumed ? "true" : "false");
    tell("changes", std::to_string(info.changes));
    std::string consumers;
    for (const entable::ConsumerInfo &one : info.consumers) {
        consumers += one.name + " " + std::to_string(one.changes_behind) + (one.has_missed ? " true\n" : " false\n");
    }
    tell("consumers", consumers);
    outcome.feed_position = copy(info.end);
}

change told(const entable::Change &found) {
    static const char *const kinds[] = {"created", "changed", "deleted"};
    change change{};
    const auto tell = [&change](const char *name, std::optional<std::string> value) {
        add_fact(&change.facts, &change.facts_count, name, value ? copy(*value) : text{nullptr, 0});
    };
    const auto time = [](const std::optional<entable::DateTime> &time) {
        return time ? std::optional(std::to_string(ticks_of(*time))) : std::nullopt;
    };
    const auto state = [](const std::optional<entable::Entity> &of) -> entity * {
        if (!of) return nullptr;
        entity *kept = array<entity>(1);
        *kept = seen(*of);
        return kept;
    };
    tell("commit", std::to_string(found.commit));
    tell("position", std::to_string(found.position));
    tell("kind", kinds[static_cast<std::size_t>(found.kind)]);
    tell("partition_key", found.partition_key);
    tell("row_key", found.row_key);
    tell("timestamp", time(found.timestamp));
    tell("former_timestamp", time(found.former_timestamp));
    tell("committed", time(found.committed));
    tell("etag", found.etag);
    tell("former_etag", found.former_etag);
    change.entity = state(found.entity);
    change.former = state(found.former);
    return change;
}

void tell_changes(const std::vector<entable::Change> &changes, const step &step, outcome &outcome) {
    outcome.has_changes = true;
    outcome.changes = array<change>(changes.size());
    for (const entable::Change &one : changes) outcome.changes[outcome.changes_count++] = told(one);
    if (named(&step, "save_change").data) {
        outcome.feed_position = copy(changes.at(named_number(&step, "save_change")).behind);
    }
}

void tell_page(const entable::ChangePage &page, const step &step, outcome &outcome) {
    outcome.feed_position = copy(page.position);
    tell_changes(page.changes, step, outcome);
    outcome.has_more = true;
    outcome.more = page.has_more;
}

entable::FeedStart start_of(const entable::Table &table, const step &step) {
    const std::string start = named_text(step, "start");
    if (start == "beginning") return entable::FeedStart::beginning();
    return start == "now" ? entable::FeedStart::now() : entable::FeedStart::at(position_of(table, step));
}

/// False for a verb that is not one of consumers.
bool on_consumer(const entable::Table &of, const step &step, outcome &outcome) {
    const auto verb = [&step](const char *name) { return is(&step.verb, name); };
    const std::string name = named_text(step, "consumer");
    const std::chrono::milliseconds timeout(named_number(&step, "timeout_ms"));
    entable::Consumer consumer = of.consumer(name);
    if (verb("consumer_position")) outcome.feed_position = copy(consumer.position());
    else if (verb("consumer_read")) tell_page(consumer.read(named_number(&step, "most")), step, outcome);
    else if (verb("consumer_wait")) set_flag(outcome, consumer.wait(timeout));
    else if (verb("consumer_advance")) consumer.advance(position_of(of, step));
    else if (verb("consumer_seek")) consumer.seek(position_of(of, step));
    else return false;
    return true;
}

/// False for a verb that is not one of feeds.
bool on_feed(State &state, const step &step, outcome &outcome) {
    const auto verb = [&step](const char *name) { return is(&step.verb, name); };
    if (verb("create_table_with_feed")) {
        state.store.create_table_with_feed(str(step.table), feed_of(step));
        return true;
    }
    if (!named(&step, "consumer").data && !named(&step, "feed").data && !named(&step, "position").data &&
        !named(&step, "saved_position").data && !named(&step, "position_of_feed").data && !verb("drop_feed") &&
        !verb("feed") && !verb("trim_feed")) {
        return false;
    }
    entable::Table table = table_of(state, step);
    if (verb("set_feed")) table.set_feed(feed_of(step));
    else if (verb("drop_feed")) table.drop_feed();
    else if (verb("feed")) tell_feed(table.feed(), outcome);
    else if (verb("trim_feed")) set_number(outcome, table.trim_feed());
    else if (verb("read_changes")) {
        tell_page(table.read_changes(position_of(table, step), named_number(&step, "most")), step, outcome);
    } else if (verb("changes")) {
        std::vector<entable::Change> changes;
        for (entable::Change &change : table.changes(position_of(table, step))) changes.push_back(std::move(change));
        tell_changes(changes, step, outcome);
    } else if (verb("wait_for_changes")) {
        const std::chrono::milliseconds timeout(named_number(&step, "timeout_ms"));
        set_flag(outcome, table.wait_for_changes(position_of(table, step), timeout));
    } else if (verb("create_consumer")) {
        table.create_consumer(named_text(step, "consumer"), start_of(table, step));
    } else if (verb("drop_consumer")) table.drop_consumer(named_text(step, "consumer"));
    else return on_consumer(table, step, outcome);
    return true;
}

const std::vector<const char *> on_deletes = {"refuse", "cascade"};

entable::OnDelete on_delete_of(const text &name) {
    return static_cast<entable::OnDelete>(place_of(name, on_deletes));
}

void create_relation(State &state, const step &step) {
    entable::Relation relation(named_text(step, "relation_name"), named_text(step, "relation_child"),
                               named_text(step, "relation_parent"));
    const keys keys = named_keys(&step, "relation_keys");
    if (keys.partition_key.data) relation.keys(str(keys.partition_key), str(keys.row_key));
    const text on_delete = named(&step, "relation_on_delete");
    if (on_delete.data) relation.on_delete(on_delete_of(on_delete));
    state.store.create_relation(relation);
}

void tell_relations(const std::vector<entable::Relation> &relations, outcome &outcome) {
    std::vector<std::optional<std::string>> texts;
    for (const entable::Relation &one : relations) {
        const entable::Keys keys = one.keys().value();
        for (const std::string &text : {one.name(), one.child(), one.parent(), keys.partition_key, keys.row_key}) {
            texts.emplace_back(text);
        }
        texts.emplace_back(on_deletes.at(static_cast<std::size_t>(one.on_delete())));
    }
    texts.emplace_back("end");
    set_texts(outcome, texts);
}

void tell_orphans(const std::vector<entable::Orphan> &orphans, outcome &outcome) {
    std::vector<std::optional<std::string>> texts;
    for (const entable::Orphan &one : orphans) {
        for (const entable::Keys &keys : {one.keys, one.target}) {
            texts.emplace_back(keys.partition_key);
            texts.emplace_back(keys.row_key);
        }
    }
    texts.emplace_back("end");
    set_texts(outcome, texts);
}

/// False for a verb that is not one of tables of pairs.
bool on_join(State &state, const step &step, outcome &outcome) {
    const auto verb = [&step](const char *name) { return is(&step.verb, name); };
    const auto join = [&] { return state.store.join(str(step.table)); };
    const entable::Keys left = keys_of(named_keys(&step, "left")), right = keys_of(named_keys(&step, "right"));
    const std::size_t size = step.has_page_size ? static_cast<std::size_t>(step.page_size) : 1000;
    const std::string token = str(step.continuation == REFERENCE_SAVED ? saved(&step.token) : step.token);
    if (verb("create_join")) {
        state.store.create_join(str(step.table), named_text(step, "left"), named_text(step, "right"),
                                on_delete_of(named(&step, "on_delete")));
    } else if (verb("join_link")) set_flag(outcome, join().link(left, right));
    else if (verb("join_unlink")) set_flag(outcome, join().unlink(left, right));
    else if (verb("join_is_linked")) set_flag(outcome, join().is_linked(left, right));
    else if (verb("join_rights")) set_page(outcome, join().rights(left, size, token));
    else if (verb("join_lefts")) set_page(outcome, join().lefts(right, size, token));
    else return false;
    return true;
}

/// False for a verb that is not one of relations.
bool on_relation(State &state, const step &step, outcome &outcome) {
    const auto verb = [&step](const char *name) { return is(&step.verb, name); };
    const auto table = [&] { return table_of(state, step); };
    const std::string relation = named_text(step, "relation");
    const entable::Keys keys = step.keys ? keys_of(*step.keys) : entable::Keys{};
    if (verb("create_relation")) create_relation(state, step);
    else if (verb("drop_relation")) state.store.drop_relation(str(step.table), relation);
    else if (verb("relations")) tell_relations(table().relations(), outcome);
    else if (verb("linked")) {
        entable::Query query = table().linked_query(relation, keys);
        if (step.has_page_size) query.page_size(static_cast<std::size_t>(step.page_size));
        set_pages(outcome, table().query_pages(query), table().linked(relation, keys));
    } else if (verb("parent_of")) {
        set_entities(outcome, {table().parent_of(relation, keys.partition_key, keys.row_key)});
    } else if (verb("link")) table().link(relation, keys, keys_of(named_keys(&step, "parent")));
    else if (verb("unlink")) set_flag(outcome, table().unlink(relation, keys.partition_key, keys.row_key));
    else if (verb("orphans")) tell_orphans(table().orphans(relation, named_number(&step, "most")), outcome);
    else if (verb("repair_orphans")) {
        const bool deletes = named_text(step, "repair") == "delete";
        const entable::Repair repair = deletes ? entable::Repair::Delete : entable::Repair::Unlink;
        set_number(outcome, table().repair_orphans(relation, repair));
    } else return on_join(state, step, outcome);
    return true;
}

} // namespace

#endif
