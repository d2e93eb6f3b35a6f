#include "reference/columns/decode.h"

#include "reference/columns/emitter.h"

namespace tgsi2spv::reference::columns {
namespace {

using tgsi::Opcode;

/// Walks the text once. Flow becomes entries of Code::flow, everything else becomes steps.
class Decoder {
  public:
    Decoder(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Context& c, const FlowTable& t)
        : program_(p), table_(t), e_(p, r, i, c) {}

    std::optional<Code> decode() {
        const auto end = static_cast<uint32_t>(program_.instructions.size());
        entry_of_.resize(end);
        for (uint32_t i = program_.entry; i < end && !ended_; ++i) {
            const tgsi::Instruction& in = program_.instructions[i];
            if (in.has_predicate) return std::nullopt;
            e_.begin(in);
            if (tgsi::info(in.op).family == tgsi::Family::flow ? !flow(in, i) : !compute(in)) return std::nullopt;
        }
        if (!ended_) end_program();
        return e_.finish();
    }

  private:
    const tgsi::Program& program_;
    const FlowTable& table_;
    Emitter e_;
    std::vector<uint32_t> entry_of_;  ///< for each instruction of flow: its index in Code::flow
    bool ended_ = false;

    bool compute(const tgsi::Instruction& in) {
        run();
        if (!e_.instruction(in)) return false;
        Flow& f = run();
        f.count = static_cast<uint32_t>(e_.code().steps.size()) - f.first;
        ++f.instructions;
        return true;
    }
    /// Returns the run to which instructions are added.
    Flow& run() {
        std::vector<Flow>& flow = e_.code().flow;
        if (flow.empty() || flow.back().kind != Flow::Kind::Run) {
            Flow f{};
            f.kind = Flow::Kind::Run;
            f.first = static_cast<uint32_t>(e_.code().steps.size());
            flow.push_back(f);
        }
        return flow.back();
    }
    /// Emits the condition of the next flow entry, and returns its column.
    uint32_t condition(Action action, const tgsi::Instruction& in) {
        run();  // must exist before the condition's steps
        const Source s = e_.emit(action, {e_.source(in, 0, 0)});
        Flow& f = run();
        f.count = static_cast<uint32_t>(e_.code().steps.size()) - f.first;
        return s.at;
    }
    Flow& add(Flow::Kind kind, uint32_t i) {
        std::vector<Flow>& flow = e_.code().flow;
        entry_of_[i] = static_cast<uint32_t>(flow.size());
        Flow f{};
        f.kind = kind;
        f.instructions = 1;
        flow.push_back(f);
        return flow.back();
    }
    /// Adds an entry that closes the one of instruction `opener`.
    void close(Flow::Kind kind, uint32_t i, uint32_t opener) {
        add(kind, i).partner = entry_of_[opener];
        e_.code().flow[entry_of_[opener]].partner = entry_of_[i];
    }
    void end_program() {
        ended_ = true;
        Flow f{};
        f.kind = Flow::Kind::End;
        f.instructions = 1;
        e_.code().flow.push_back(f);
    }

    std::vector<uint32_t> open_;  ///< instructions that opened the current constructs
    bool flow(const tgsi::Instruction& in, uint32_t i) {
        const bool nested = !open_.empty();
        switch (in.op) {
            case Opcode::NOP:
                run().instructions += 1;
                return true;
            case Opcode::IF:
            case Opcode::IFC:
            case Opcode::UIF: {
                const uint32_t c = condition(in.op == Opcode::UIF ? Action::AnyBit : Action::NotZero, in);
                add(Flow::Kind::If, i).condition = c;
                open_.push_back(i);
                e_.enter();
                return true;
            }
            case Opcode::ELSE:
                close(Flow::Kind::Else, i, open_.back());
                open_.back() = i;
                return true;
            case Opcode::ENDIF:
                close(Flow::Kind::EndIf, i, open_.back());
                open_.pop_back();
                e_.leave();
                return true;
            case Opcode::BGNLOOP:
                add(Flow::Kind::Loop, i);
                open_.push_back(i);
                e_.enter();
                return true;
            case Opcode::ENDLOOP:
                close(Flow::Kind::EndLoop, i, open_.back());
                open_.pop_back();
                e_.leave();
                return true;
            case Opcode::BRK:
            case Opcode::BREAKC: {
                if (table_.leaves_switch[i]) return false;
                const bool conditional = in.op == Opcode::BREAKC;
                const uint32_t c = conditional ? condition(Action::AnyBit, in) : 0;
                Flow& f = add(Flow::Kind::Break, i);
                f.conditional = conditional;
                f.condition = c;
                return true;
            }
            case Opcode::CONT:
                add(Flow::Kind::Continue, i);
                return true;
            case Opcode::RET: {
                Flow& f = add(Flow::Kind::Return, i);
                f.last = !nested;
                e_.enter();  // not all lanes execute what follows
                if (!nested) ended_ = true;
                return true;
            }
            case Opcode::KILL:
            case Opcode::KILP:
            case Opcode::DEMOTE:
                add(Flow::Kind::Kill, i);
                return true;
            case Opcode::KILL_IF:
            case Opcode::KIL: {
                run();
                Source any{};
                for (int k = 0; k < 4; ++k) {
                    const Source below = e_.emit(Action::BelowZero, {e_.source(in, 0, k)});
                    any = k == 0 ? below : e_.emit(Action::Or, {any, below});
                }
                Flow& r = run();
                r.count = static_cast<uint32_t>(e_.code().steps.size()) - r.first;
                Flow& f = add(Flow::Kind::Kill, i);
                f.conditional = true;
                f.condition = any.at;
                return true;
            }
            case Opcode::END:
                end_program();
                return true;
            default:
                return false;
        }
    }
};

}  // namespace

std::optional<Code> decode(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
                           const Context& context, const FlowTable& table) {
    if (program.stage != tgsi::Stage::Vertex && program.stage != tgsi::Stage::Fragment) return std::nullopt;
    if (context.legacy_math || table.branches) return std::nullopt;
    // bounds-inl.h implements the bounds only under these guarantees.
    const bool promised = context.preserve && context.round_to_even && !context.contract;
    if (!context.plain && !promised) return std::nullopt;
    return Decoder(program, registers, inputs, context, table).decode();
}

}  // namespace tgsi2spv::reference::columns
